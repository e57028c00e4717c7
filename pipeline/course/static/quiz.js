// The question after a scene. The first answer counts; it can be tried again.
(function (course) {
  "use strict";

  class Quiz {
    // answered(scene, right): told of every first answer.
    constructor(answered) {
      this.box = document.getElementById("quiz");
      this.answered = answered;
      this.scene = null;
      if (!this.box) return;
      document.getElementById("quiz-form").addEventListener("submit", (event) => {
        event.preventDefault();
        this.check();
      });
    }

    // Show the question of a scene; null hides it. `words`: those of the language shown.
    show(scene, question, words, focus) {
      if (!this.box) return;
      this.box.hidden = !question;
      this.scene = scene;
      this.question = question;
      this.words = words;
      if (!question) return;
      document.getElementById("quiz-ask").textContent = question.ask;
      document.getElementById("quiz-feedback").textContent = "";
      const options = document.getElementById("quiz-options");
      options.replaceChildren(
        ...question.options.map((text, number) => {
          const label = document.createElement("label");
          const input = document.createElement("input");
          input.type = "radio";
          input.name = "answer";
          input.value = String(number);
          input.required = true;
          label.append(input, " ", text);
          return label;
        }),
      );
      if (focus) options.querySelector("input").focus();
    }

    check() {
      const chosen = document.querySelector("#quiz-options input:checked");
      if (!chosen) return;
      const right = Number(chosen.value) === this.question.answer;
      document.getElementById("quiz-feedback").textContent =
        (right ? this.words.right : this.words.wrong) + " " + this.question.why;
      this.answered(this.scene, right);
    }
  }

  course.Quiz = Quiz;
})((window.course = window.course || {}));
