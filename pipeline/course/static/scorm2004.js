// Speaks SCORM 2004.
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

  const begin = function ({ get, set, commit }) {
    let completion = get("cmi.completion_status");
    let success = get("cmi.success_status");
    if (completion !== "completed" && completion !== "incomplete") {
      completion = "incomplete";
      set("cmi.completion_status", completion);
      commit();
    }
    return (progress) => {
      set("cmi.progress_measure", progress.share);
      if (progress.score !== null) set("cmi.score.scaled", progress.score / 100);
      if (progress.complete && completion !== "completed") {
        completion = "completed";
        set("cmi.completion_status", completion);
      }
      const wanted = progress.passed === null ? success : progress.passed ? "passed" : "failed";
      // What was reached once is never taken back.
      if (wanted !== success && success !== "passed") {
        success = wanted;
        set("cmi.success_status", success);
      }
    };
  };

  const dialect = {
    api: "API_1484_11",
    prefix: "",
    finish: "Terminate",
    core: "cmi.",
    location: "cmi.location",
    timespan: course.timespan2004,
    begin,
  };
  course.openTracker = (id) => course.openPlatform(id, dialect);
})((window.course = window.course || {}));
