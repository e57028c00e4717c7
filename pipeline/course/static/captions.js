// Captions and chapters as text tracks. They are in the page, because a browser reads no track file from file://.
(function (course) {
  "use strict";

  class Captions {
    constructor(video) {
      this.video = video;
      this.tracks = new Map(); // language -> {captions, chapters}
      this.shown = true;
      this.language = "";
      // The browser's own menu may turn captions off and on, too.
      video.textTracks.addEventListener("change", () => this.changed && this.changed(this.on));
    }

    get on() {
      const own = this.tracks.get(this.language);
      return Boolean(own) && own.captions.mode === "showing";
    }

    // Fill the tracks of a language with [start, end, text] and show them, if captions are shown.
    fill(language, labels, captions, chapters) {
      if (!this.tracks.has(language)) {
        const add = (kind) => this.video.addTextTrack(kind, labels[kind], language);
        this.tracks.set(language, { captions: add("captions"), chapters: add("chapters") });
      }
      for (const [name, pair] of this.tracks) {
        for (const track of [pair.captions, pair.chapters]) {
          track.mode = "hidden"; // a disabled track hands out no cues
          for (const cue of [...(track.cues || [])]) track.removeCue(cue);
        }
        if (name !== language) pair.captions.mode = pair.chapters.mode = "disabled";
      }
      const own = this.tracks.get(language);
      for (const [start, end, text] of captions) {
        const cue = new VTTCue(start, end, text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;"));
        own.captions.addCue(cue);
      }
      for (const [start, end, text] of chapters) own.chapters.addCue(new VTTCue(start, end, text));
      this.language = language;
      this.show(this.shown);
    }

    show(on) {
      this.shown = on;
      const own = this.tracks.get(this.language);
      if (own) own.captions.mode = on ? "showing" : "hidden";
    }
  }

  course.Captions = Captions;
})((window.course = window.course || {}));
