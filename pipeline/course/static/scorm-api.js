// What both versions of SCORM share: finding the platform's interface, in a window around this one or around the one that
// opened it, and the session with it. `exit` is always "suspend", so that the platform keeps the place for the next time.
(function (course) {
  "use strict";
  const DEPTH = 50;

  course.findApi = function (name) {
    const around = (start) => {
      let current = start;
      for (let depth = 0; current && depth < DEPTH; depth += 1) {
        try {
          if (current[name]) return current[name];
        } catch {
          return null; // a window of another origin
        }
        if (current.parent === current) return null;
        current = current.parent;
      }
      return null;
    };
    const opener = (start) => {
      try {
        return start.opener ? around(start.opener) : null;
      } catch {
        return null;
      }
    };
    return around(window) || opener(window) || opener(window.top);
  };

  // Where no platform answers, the place is kept in the browser, and the page says so.
  course.withoutPlatform = function (id) {
    const local = course.openLocalTracker(id);
    local.missing = true;
    return local;
  };
  course.openLocalTracker = course.openTracker;

  // A session in a version of SCORM. `dialect`: `api`, the interface's name; `prefix` and `finish`, the names of its
  // functions; `core` and `location`, the names of its values; `timespan(seconds)`; `begin({get, set, commit})`, which
  // says that the film was begun and returns what tells the platform how far it was watched.
  course.openPlatform = function (id, dialect) {
    let api = course.findApi(dialect.api);
    const call = (name, ...values) => api[dialect.prefix + name](...values);
    if (!api || String(call("Initialize", "")) !== "true") return course.withoutPlatform(id);
    const began = Date.now();
    const get = (name) => String(call("GetValue", name) ?? "");
    const set = (name, value) => call("SetValue", name, String(value));
    const commit = () => call("Commit", "");
    const left = get("cmi.suspend_data");
    const tell = dialect.begin({ get, set, commit });
    const save = (progress) => {
      if (!api) return false;
      set("cmi.suspend_data", progress.state);
      set(dialect.location, progress.location);
      if (progress.score !== null) {
        set(dialect.core + "score.min", 0);
        set(dialect.core + "score.max", 100);
        set(dialect.core + "score.raw", progress.score);
      }
      tell(progress);
      set(dialect.core + "session_time", dialect.timespan((Date.now() - began) / 1000));
      set(dialect.core + "exit", "suspend");
      commit();
      return true;
    };
    return {
      platform: true,
      read: () => left,
      save,
      close(progress) {
        if (!save(progress)) return;
        call(dialect.finish, "");
        api = null;
      },
    };
  };
})((window.course = window.course || {}));
