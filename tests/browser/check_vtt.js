// What an independent parser says of WebVTT files: one line of JSON a file, {file, errors, cues: [[start, end, text]]}.
const { readFileSync } = require("node:fs");
const { WebVTTParser } = require("webvtt-parser");

for (const file of process.argv.slice(2)) {
  const { cues, errors } = new WebVTTParser().parse(readFileSync(file, "utf8"), "metadata");
  const found = cues.map((cue) => [cue.startTime, cue.endTime, cue.text]);
  console.log(JSON.stringify({ file, errors, cues: found }));
}
