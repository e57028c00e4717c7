// The player: one video element, the scenes one after another or the whole film, in every language of the course.
(function (course) {
  "use strict";
  const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2];
  const STEP = 10; // seconds that J and L go
  const SAVE_EVERY = 15000; // milliseconds
  const NEAR_END = 0.5; // seconds: a place so close to a scene's end is begun again

  const data = JSON.parse(document.getElementById("course-data").textContent);
  const $ = (id) => document.getElementById(id);
  const video = $("video");
  const watched = new course.Watched(data.scenes.length, data.watched);
  const place = {
    language: data.languages[0], scene: 0, time: 0, speed: 1, captions: true, goOn: true, whole: false, keys: true,
    described: false, answers: data.scenes.map(() => null),
  };
  const tracker = course.openTracker(data.id);
  const captions = new course.Captions(video);
  const source = new course.Source(video, loading);
  const transcript = new course.Transcript((scene, time) => go(scene, time, true));
  const quiz = new course.Quiz(answered);
  let last = null; // where playback was, as [scene, seconds], while it runs on without a jump
  let jumped = null; // the second of the scene that playback was sent to, until it is there
  let pending = false; // a video is being made ready: what the element says is not yet the place

  const edition = () => data.editions[place.language];
  const clip = () => edition().scenes[place.scene];
  const words = () => data.words[place.language];
  const fill = (text, fields) => text.replace(/\{(\w+)\}/g, (_, name) => fields[name]);

  // --- where we are -------------------------------------------------------------------------------------------

  // The scene and its second that the video shows.
  function shown() {
    if (!place.whole) return [place.scene, video.currentTime];
    const starts = edition().film.starts;
    let scene = 0;
    while (scene + 1 < starts.length && starts[scene + 1] <= video.currentTime + 1e-3) scene += 1;
    return [scene, Math.max(0, video.currentTime - starts[scene])];
  }

  const offset = (scene) => (place.whole ? edition().film.starts[scene] : 0);

  async function go(scene, time, play) {
    const file = place.whole ? edition().film : edition().scenes[scene];
    place.scene = scene;
    place.time = time;
    last = null;
    showScene();
    if (video.dataset.file !== file.video) {
      pending = true;
      video.setAttribute("aria-busy", "true");
      video.dataset.file = file.video;
      video.poster = edition().scenes[scene].poster;
      captions.fill(place.language, { captions: words().captions, chapters: words().chapters }, file.captions, file.chapters);
      if (!(await source.use(file.video))) return;
      await new Promise((resolve) => {
        if (video.readyState >= 1) resolve();
        else video.addEventListener("loadedmetadata", resolve, { once: true });
      });
      if (video.dataset.file !== file.video) return;
      pending = false;
      video.removeAttribute("aria-busy");
    }
    // Another jump may have been asked for while the video was being made ready.
    jumped = place.time;
    video.currentTime = offset(place.scene) + place.time;
    video.playbackRate = place.speed;
    if (play) video.play().catch(() => {}); // the browser may want a gesture first; the button stays there
    transcript.at(place.scene, place.time);
  }

  function showScene() {
    for (const element of document.querySelectorAll(".about > [data-scene]")) {
      element.hidden = Number(element.dataset.scene) !== place.scene;
    }
    for (const button of document.querySelectorAll("[data-go]")) {
      if (Number(button.dataset.go) === place.scene) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const list = document.querySelector(`.contents ol:not([hidden])`);
    const current = list.querySelector("[aria-current]");
    const above = current.offsetTop;
    if (above < list.scrollTop || above + current.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = above - list.clientHeight / 3;
    }
    $("previous").disabled = place.scene === 0;
    $("next").disabled = place.scene === data.scenes.length - 1;
    quiz.show(place.scene, null);
  }

  function showProgress() {
    const count = data.scenes.length;
    const text = watched.complete ? words().complete : fill(words().watched, { n: watched.count, count });
    const right = place.answers.filter(Boolean).length;
    const asked = edition().scenes.filter((scene) => scene.question).length;
    const score = asked ? " · " + fill(words().score, { n: right, count: asked }) : "";
    if ($("progress").textContent !== text + score) $("progress").textContent = text + score;
    for (const button of document.querySelectorAll("[data-go]")) {
      const done = watched.done(Number(button.dataset.go));
      button.classList.toggle("done", done);
      button.querySelector(".state").textContent = done ? words().seen : "";
    }
  }

  // --- language -----------------------------------------------------------------------------------------------

  function speak(language) {
    const time = course.sameBeat(place.time, clip(), data.editions[language].scenes[place.scene]);
    const playing = !video.paused && !video.ended;
    place.language = language;
    document.documentElement.lang = language;
    document.title = edition().title;
    for (const element of document.querySelectorAll("[data-edition]")) {
      element.hidden = element.dataset.edition !== language;
    }
    for (const element of document.querySelectorAll("[data-word]")) {
      element.textContent = data.words[language][element.dataset.word];
    }
    for (const element of document.querySelectorAll("[data-label]")) {
      element.setAttribute("aria-label", data.words[language][element.dataset.label]);
    }
    for (const button of document.querySelectorAll("[data-language]")) {
      button.setAttribute("aria-pressed", String(button.dataset.language === language));
    }
    transcript.use(language);
    showPlaying();
    showProgress();
    return go(place.scene, time, playing);
  }

  // --- keeping the place --------------------------------------------------------------------------------------

  function progress() {
    const asked = edition().scenes.filter((scene) => scene.question).length;
    const right = place.answers.filter(Boolean).length;
    const all = asked > 0 && place.answers.filter((answer) => answer !== null).length === asked;
    const score = asked ? Math.round((100 * right) / asked) : null;
    return {
      state: course.stateText(place, watched),
      location: data.scenes[place.scene].id + "@" + place.time.toFixed(1),
      complete: watched.complete,
      share: Math.round((1000 * watched.count) / data.scenes.length) / 1000,
      score,
      passed: all ? score >= data.passing * 100 : null,
    };
  }

  const save = () => tracker.save(progress());

  function answered(scene, right) {
    if (place.answers[scene] === null) place.answers[scene] = right;
    showProgress();
    save();
  }

  // --- playing ------------------------------------------------------------------------------------------------

  function played() {
    if (pending || video.seeking || !video.duration) return;
    const [scene, time] = shown();
    if (!last && jumped !== null) last = [place.scene, jumped]; // a jump to where the video was anyway
    jumped = null;
    if (last && !video.paused) {
      if (last[0] === scene) watched.add(scene, last[1], time, edition().scenes[scene].seconds);
      else watched.add(last[0], last[1], edition().scenes[last[0]].seconds, edition().scenes[last[0]].seconds);
    }
    last = [scene, last && last[0] !== scene ? 0 : time];
    if (scene !== place.scene) {
      place.scene = scene;
      showScene();
    }
    place.time = time;
    transcript.at(scene, time);
    showProgress();
  }

  function ended() {
    if (pending) return;
    const scene = place.scene;
    if (last) watched.add(scene, last[1], edition().scenes[scene].seconds, edition().scenes[scene].seconds);
    last = null;
    showProgress();
    save();
    if (clip().question && !place.whole) quiz.show(scene, clip().question, words(), !document.fullscreenElement);
    else if (place.goOn && !place.whole && scene + 1 < data.scenes.length) go(scene + 1, 0, true);
  }

  function toggle() {
    if (video.paused || video.ended) {
      if (video.ended && !place.whole && clip().seconds - place.time < NEAR_END) go(place.scene, 0, true);
      else video.play().catch(() => {});
    } else video.pause();
  }

  function skip(seconds) {
    video.currentTime = Math.min(Math.max(0, video.currentTime + seconds), video.duration || 0);
  }

  function step(by) {
    const scene = place.scene + by;
    if (scene >= 0 && scene < data.scenes.length) go(scene, 0, !video.paused && !video.ended);
  }

  function showPlaying() {
    const playing = !video.paused && !video.ended;
    $("play").classList.toggle("playing", playing);
    $("play").setAttribute("aria-label", playing ? words().pause : words().play);
  }

  // share: of a file that is being fetched, null when there is none; "broken" where it cannot be played.
  function loading(share) {
    $("notice").hidden = share === null;
    if (share === null) return;
    const text = share === "broken" ? words().broken : fill(words().loading, { percent: Math.round(share * 100) });
    if ($("notice").textContent !== text) $("notice").textContent = text;
  }

  // --- keys ---------------------------------------------------------------------------------------------------

  const ACTIONS = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": toggle, k: toggle, j: () => skip(-STEP),
    l: () => skip(STEP),
  };

  function pressed(event) {
    if (!place.keys || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    // Where a key means something of its own it keeps that meaning.
    if (target.closest("select, textarea, input:not([type=checkbox])")) return;
    if (event.key === " " && target.closest("button, a, input, summary, label")) return;
    if (event.key.startsWith("Arrow") && target.closest("#scroll, .tables")) return;
    const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  // --- putting it together ------------------------------------------------------------------------------------

  function option(id, name, changed) {
    const box = $(id);
    if (!box) return;
    box.checked = place[name];
    const apply = () => {
      place[name] = box.checked;
      changed(box.checked);
      save();
    };
    box.addEventListener("change", apply);
    if (name !== "whole") changed(box.checked);
  }

  function showCaptions(on) {
    place.captions = on;
    captions.show(on);
    $("captions").setAttribute("aria-pressed", String(on));
  }

  function start() {
    const known = course.readState(tracker.read(), place, watched, {
      languages: data.languages, scenes: data.scenes.length, speeds: SPEEDS,
    });
    if (!known) {
      const asked = (navigator.languages || []).map((one) => one.toLowerCase().split("-")[0]);
      place.language = asked.map((one) => data.languages.find((own) => own.split("-")[0] === one)).find(Boolean) || place.language;
    }
    if (!edition().film) place.whole = false;
    if (clip().seconds - place.time < NEAR_END) place.time = 0;
    captions.shown = place.captions;

    for (const button of document.querySelectorAll("[data-language]")) {
      button.addEventListener("click", () => speak(button.dataset.language).then(save));
    }
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => go(Number(button.dataset.go), 0, true));
    }
    $("previous").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $("back").addEventListener("click", () => skip(-STEP));
    $("forward").addEventListener("click", () => skip(STEP));
    $("play").addEventListener("click", toggle);
    $("captions").addEventListener("click", () => showCaptions(!place.captions));
    captions.changed = (on) => {
      if (on !== place.captions && !pending) showCaptions(on);
    };
    $("speed").value = String(place.speed);
    $("speed").addEventListener("change", () => {
      place.speed = Number($("speed").value);
      video.playbackRate = place.speed;
    });
    option("continue", "goOn", () => {});
    option("keys", "keys", () => {});
    option("described", "described", (on) => {
      document.body.classList.toggle("with-descriptions", on);
      transcript.reveal(); // what is above it has another height now
    });
    option("whole", "whole", () => go(place.scene, place.time, !video.paused && !video.ended));
    $("follow").addEventListener("change", () => {
      transcript.follow = $("follow").checked;
      transcript.reveal();
    });

    video.addEventListener("timeupdate", played);
    video.addEventListener("seeking", () => (last = null));
    video.addEventListener("seeked", () => {
      last = jumped === null ? null : [place.scene, jumped]; // it may have run on before it says so
      jumped = null;
      played();
    });
    video.addEventListener("ended", ended);
    for (const name of ["play", "pause", "ended", "emptied"]) video.addEventListener(name, showPlaying);
    video.addEventListener("pause", () => pending || save());
    video.addEventListener("error", () => loading("broken"));
    document.addEventListener("keydown", pressed, true);
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && save());
    setInterval(() => video.paused || save(), SAVE_EVERY);
    addEventListener("pagehide", () => tracker.close(progress()));
    // A page that comes back from the browser's memory has said goodbye to the platform: it begins again.
    addEventListener("pageshow", (event) => event.persisted && tracker.platform && location.reload());

    showCaptions(place.captions);
    speak(place.language);
    if (tracker.missing) {
      $("notice").hidden = false;
      $("notice").textContent = words().untracked;
    }
  }

  start();
})((window.course = window.course || {}));
