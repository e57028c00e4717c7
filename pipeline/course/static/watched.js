// Which parts of each scene have been watched. A scene is cut into equal parts; a part counts once playback has passed
// through it, wherever it began. As text it is one hexadecimal number a scene, short enough for any learning platform.
(function (course) {
  "use strict";
  const PARTS = 20;

  class Watched {
    // share: how much of a scene must have been played for it to count, 0 to 1.
    constructor(count, share) {
      this.share = share;
      this.bits = new Array(count).fill(0);
    }

    // Playback went from one second of a scene to another of its `length`.
    add(scene, from, to, length) {
      if (!(length > 0) || !(to > from)) return;
      const first = Math.max(0, Math.floor((from / length) * PARTS + 1e-6));
      const end = Math.min(PARTS, Math.ceil((to / length) * PARTS - 1e-6));
      for (let part = first; part < end; part += 1) this.bits[scene] |= 1 << part;
    }

    shareOf(scene) {
      let count = 0;
      for (let part = 0; part < PARTS; part += 1) count += (this.bits[scene] >> part) & 1;
      return count / PARTS;
    }

    done(scene) {
      return this.shareOf(scene) >= this.share - 1e-9;
    }

    get count() {
      return this.bits.filter((_, scene) => this.done(scene)).length;
    }

    get complete() {
      return this.count === this.bits.length;
    }

    toText() {
      return this.bits.map((bits) => bits.toString(16)).join(".");
    }

    // What `toText` wrote; anything else is as if nothing had been watched.
    read(text) {
      const parts = String(text || "").split(".");
      if (parts.length !== this.bits.length || !parts.every((part) => /^[0-9a-f]{1,5}$/.test(part))) return;
      this.bits = parts.map((part) => parseInt(part, 16) & ((1 << PARTS) - 1));
    }
  }

  course.Watched = Watched;
})((window.course = window.course || {}));
