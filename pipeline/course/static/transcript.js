// The transcript follows the video: the beat that is spoken is marked and, if wanted, kept in view.
(function (course) {
  "use strict";

  class Transcript {
    // jump(scene, seconds): told when a beat is chosen.
    constructor(jump) {
      this.scroll = document.getElementById("scroll");
      this.current = null;
      this.follow = true;
      this.scroll.addEventListener("click", (event) => {
        const beat = event.target.closest(".beat");
        const button = event.target.closest("button");
        if (!beat || event.target.closest("a") || (!button && String(getSelection()))) return;
        jump(Number(beat.dataset.sceneAt), Number(beat.dataset.start));
      });
    }

    // The beats of a language in order.
    use(language) {
      const text = this.scroll.querySelector(`[data-edition="${CSS.escape(language)}"]`);
      this.beats = [...text.querySelectorAll(".beat")].map((element) => ({
        element,
        scene: Number(element.dataset.sceneAt),
        start: Number(element.dataset.start),
        end: Number(element.dataset.end),
      }));
      this.current = null;
    }

    // The video is at `time` of a scene.
    at(scene, time) {
      const own = this.beats.filter((beat) => beat.scene === scene);
      const beat = own.filter((one) => one.start <= time + 0.05).pop() || own[0];
      if (!beat || beat === this.current) return;
      if (this.current) this.current.element.removeAttribute("aria-current");
      this.current = beat;
      beat.element.setAttribute("aria-current", "true");
      this.reveal();
    }

    reveal() {
      if (!this.follow || !this.current) return;
      const element = this.current.element;
      // A third of the way down; the beginning of one that is taller than the box at its top.
      const top = element.offsetTop - Math.max(8, (this.scroll.clientHeight - element.offsetHeight) / 3);
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.scroll.scrollTo({ top: Math.max(0, top), behavior: still ? "auto" : "smooth" });
    }
  }

  // A place in one language is the same share of the same beat in another.
  course.sameBeat = function (time, from, to) {
    let beat = 0;
    while (beat + 1 < from.beats.length && from.beats[beat + 1] <= time) beat += 1;
    const span = (edition) => {
      const end = beat + 1 < edition.beats.length ? edition.beats[beat + 1] : edition.seconds;
      return [edition.beats[beat], end];
    };
    if (from.beats.length !== to.beats.length) return (time / from.seconds) * to.seconds;
    const [start, end] = span(from);
    const [first, last] = span(to);
    return end > start ? first + ((time - start) / (end - start)) * (last - first) : first;
  };

  course.Transcript = Transcript;
})((window.course = window.course || {}));
