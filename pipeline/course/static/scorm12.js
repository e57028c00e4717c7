// Speaks SCORM 1.2.
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

  const begin = function ({ get, set, commit }) {
    let status = get("cmi.core.lesson_status");
    if (status !== "completed" && status !== "passed" && status !== "failed" && status !== "incomplete") {
      status = "incomplete";
      set("cmi.core.lesson_status", status);
      commit();
    }
    return (progress) => {
      const wanted = progress.complete ? (progress.passed === null ? "completed" : progress.passed ? "passed" : "failed") : status;
      // What was reached once is never taken back.
      if (wanted !== status && status !== "passed") {
        status = wanted;
        set("cmi.core.lesson_status", status);
      }
    };
  };

  const dialect = {
    api: "API",
    prefix: "LMS",
    finish: "Finish",
    core: "cmi.core.",
    location: "cmi.core.lesson_location",
    timespan: course.timespan12,
    begin,
  };
  course.openTracker = (id) => course.openPlatform(id, dialect);
})((window.course = window.course || {}));
