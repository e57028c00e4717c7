// Speaks SCORM 2004. `cmi.exit` is always "suspend", so that the platform keeps the place for the next time.
(function (course) {
  "use strict";

  // timeinterval (second,10,2): PT1H2M3.45S
  course.timespan2004 = function (seconds) {
    const hundredths = Math.max(0, Math.round(seconds * 100));
    const hours = Math.floor(hundredths / 360000);
    const minutes = Math.floor(hundredths / 6000) % 60;
    const rest = (hundredths % 6000) / 100;
    return "PT" + (hours ? hours + "H" : "") + (minutes ? minutes + "M" : "") + rest + "S";
  };

  course.openTracker = function (id) {
    let api = course.findApi("API_1484_11");
    if (!api || String(api.Initialize("")) !== "true") return course.withoutPlatform(id);
    const began = Date.now();
    const get = (name) => String(api.GetValue(name) ?? "");
    const set = (name, value) => api.SetValue(name, String(value));
    let completion = get("cmi.completion_status");
    let success = get("cmi.success_status");
    const left = get("cmi.suspend_data");
    if (completion !== "completed" && completion !== "incomplete") {
      completion = "incomplete";
      set("cmi.completion_status", completion);
      api.Commit("");
    }
    const write = (progress) => {
      set("cmi.suspend_data", progress.state);
      set("cmi.location", progress.location);
      set("cmi.progress_measure", progress.share);
      if (progress.score !== null) {
        set("cmi.score.min", 0);
        set("cmi.score.max", 100);
        set("cmi.score.raw", progress.score);
        set("cmi.score.scaled", progress.score / 100);
      }
      if (progress.complete && completion !== "completed") {
        completion = "completed";
        set("cmi.completion_status", completion);
      }
      const wanted = progress.passed === null ? success : progress.passed ? "passed" : "failed";
      if (wanted !== success && success !== "passed") {
        success = wanted;
        set("cmi.success_status", success);
      }
      set("cmi.session_time", course.timespan2004((Date.now() - began) / 1000));
      set("cmi.exit", "suspend");
    };
    return {
      platform: true,
      read: () => left,
      save(progress) {
        if (!api) return;
        write(progress);
        api.Commit("");
      },
      close(progress) {
        if (!api) return;
        write(progress);
        api.Commit("");
        api.Terminate("");
        api = null;
      },
    };
  };
})((window.course = window.course || {}));
