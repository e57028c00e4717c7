// The learner's place and settings as one short text, and back. What cannot be read is left at its default.
(function (course) {
  "use strict";

  // place: {language, scene, time, speed, captions, goOn, whole, keys, described, answers}
  course.stateText = function (place, watched) {
    const flag = (value) => (value ? "1" : "0");
    return new URLSearchParams({
      v: "1",
      l: place.language,
      s: String(place.scene),
      t: place.time.toFixed(1),
      r: String(place.speed),
      o: flag(place.captions) + flag(place.goOn) + flag(place.whole) + flag(place.keys) + flag(place.described),
      w: watched.toText(),
      q: place.answers.map((right) => (right === null ? "-" : flag(right))).join(""),
    }).toString();
  };

  course.readState = function (text, place, watched, limits) {
    const found = new URLSearchParams(text || "");
    if (found.get("v") !== "1") return false;
    if (limits.languages.includes(found.get("l"))) place.language = found.get("l");
    const scene = Number(found.get("s"));
    if (Number.isInteger(scene) && scene >= 0 && scene < limits.scenes) {
      place.scene = scene;
      const time = Number(found.get("t"));
      if (Number.isFinite(time) && time > 0) place.time = time;
    }
    const speed = Number(found.get("r"));
    if (limits.speeds.includes(speed)) place.speed = speed;
    const flags = found.get("o") || "";
    if (/^[01]{5}$/.test(flags)) {
      [place.captions, place.goOn, place.whole, place.keys, place.described] = [...flags].map((flag) => flag === "1");
    }
    watched.read(found.get("w"));
    const answers = found.get("q") || "";
    if (answers.length === place.answers.length && /^[01-]*$/.test(answers)) {
      place.answers = [...answers].map((answer) => (answer === "-" ? null : answer === "1"));
    }
    return true;
  };
})((window.course = window.course || {}));
