// scorm-again as the platform. Every call of the activity is written down, with what the platform said to it.
const NAMES = { scorm12: ["API", "LMSGetLastError"], scorm2004: ["API_1484_11", "GetLastError"] };

// Start the activity at `address`; `left`: what `platformState` gave the last time.
function startActivity(kind, address, left) {
  const [name, lastError] = NAMES[kind];
  const settings = { autocommit: false, logLevel: 5, mastery_override: false };
  const api = kind === "scorm12" ? new Scorm12API(settings) : new Scorm2004API(settings);
  if (left) api.loadFromJSON(left);
  window.platform = { kind, api, calls: [] };
  window[name] = new Proxy(api, {
    get(target, key) {
      const value = target[key];
      if (typeof value !== "function") return value;
      return (...values) => {
        const result = value.apply(target, values);
        const call = { method: String(key).replace(/^LMS/, ""), values: values.map(String), result: String(result) };
        if (call.method !== "GetLastError") call.error = String(target[lastError]());
        window.platform.calls.push(call);
        return result;
      };
    },
  });
  const frame = document.createElement("iframe");
  frame.id = "activity";
  frame.width = "1100";
  frame.height = "900";
  frame.allow = "fullscreen";
  frame.src = address;
  document.body.append(frame);
}

// Take the activity away, as a platform does when the learner leaves.
function leaveActivity() {
  document.getElementById("activity").remove();
}

function platformState() {
  const data = window.platform.api.renderCMIToJSONObject();
  return data.cmi || data;
}
