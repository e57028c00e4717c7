// Where a video is played from. A server that cannot send parts of a file lets nobody seek in it; then the whole file is
// fetched and played from memory. From file:// parts can always be read.
(function (course) {
  "use strict";

  class Source {
    // report(share): told while a whole file is being fetched; null when that is over.
    constructor(video, report) {
      this.video = video;
      this.report = report;
      this.asked = 0;
      this.ranges = location.protocol.startsWith("http") ? null : true;
      this.blobs = new Map();
    }

    // Make the video play `url`. Resolves to false where another call came in between.
    async use(url) {
      const turn = (this.asked += 1);
      let source = url;
      if (this.ranges !== true) {
        try {
          source = (await this.inMemory(url, turn)) || url;
        } catch {
          source = url; // the video element will say what is wrong with it
        }
      }
      if (turn !== this.asked) return false;
      this.report(null);
      this.video.src = source;
      return true;
    }

    // An address of the file in memory; null where the server sends parts.
    async inMemory(url, turn) {
      if (this.blobs.has(url)) return this.blobs.get(url);
      const answer = await fetch(url, this.ranges === null ? { headers: { Range: "bytes=0-0" } } : {});
      if (answer.status === 206) {
        this.ranges = true;
        return null;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      this.ranges = false;
      const total = Number(answer.headers.get("Content-Length")) || 0;
      const reader = answer.body.getReader();
      const chunks = [];
      let size = 0;
      for (;;) {
        if (turn !== this.asked) {
          await reader.cancel();
          return null;
        }
        const { done, value } = await reader.read();
        if (done) break;
        chunks.push(value);
        size += value.length;
        this.report(total ? Math.min(1, size / total) : 0);
      }
      const address = URL.createObjectURL(new Blob(chunks, { type: "video/mp4" }));
      for (const old of this.blobs.values()) URL.revokeObjectURL(old);
      this.blobs.clear();
      this.blobs.set(url, address);
      return address;
    }
  }

  course.Source = Source;
})((window.course = window.course || {}));
