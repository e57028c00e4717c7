// Speaks SCORM 1.2. `cmi.core.exit` is always "suspend", so that the platform keeps the place for the next time.
(function (course) {
  "use strict";

  // CMITimespan: HHHH:MM:SS.SS
  course.timespan12 = function (seconds) {
    const hundredths = Math.max(0, Math.round(seconds * 100));
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.min(9999, Math.floor(hundredths / 360000));
    const minutes = Math.floor(hundredths / 6000) % 60;
    return `${String(hours).padStart(4, "0")}:${two(minutes)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
  };

  course.openTracker = function (id) {
    let api = course.findApi("API");
    if (!api || String(api.LMSInitialize("")) !== "true") return course.withoutPlatform(id);
    const began = Date.now();
    const get = (name) => String(api.LMSGetValue(name) ?? "");
    const set = (name, value) => api.LMSSetValue(name, String(value));
    let status = get("cmi.core.lesson_status");
    const left = get("cmi.suspend_data");
    if (status !== "completed" && status !== "passed" && status !== "failed" && status !== "incomplete") {
      status = "incomplete";
      set("cmi.core.lesson_status", status);
      api.LMSCommit("");
    }
    const write = (progress) => {
      set("cmi.suspend_data", progress.state);
      set("cmi.core.lesson_location", progress.location);
      if (progress.score !== null) {
        set("cmi.core.score.min", 0);
        set("cmi.core.score.max", 100);
        set("cmi.core.score.raw", progress.score);
      }
      const wanted = progress.complete ? (progress.passed === null ? "completed" : progress.passed ? "passed" : "failed") : status;
      // What was reached once is never taken back.
      if (wanted !== status && status !== "passed") {
        status = wanted;
        set("cmi.core.lesson_status", status);
      }
      set("cmi.core.session_time", course.timespan12((Date.now() - began) / 1000));
      set("cmi.core.exit", "suspend");
    };
    return {
      platform: true,
      read: () => left,
      save(progress) {
        if (!api) return;
        write(progress);
        api.LMSCommit("");
      },
      close(progress) {
        if (!api) return;
        write(progress);
        api.LMSCommit("");
        api.LMSFinish("");
        api = null;
      },
    };
  };
})((window.course = window.course || {}));
