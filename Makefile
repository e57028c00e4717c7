# make render LANGUAGE=en QUALITY=draft SCENES=embedding,causal_mask JOBS=2 FORCE=1 PYTEST=-x
# LANGUAGE counts only when it is given to make: shells use the same name for something else.
.DEFAULT_GOAL := help
.PHONY: help setup voice render preview course contact-sheet posters test test-slow test-faults test-browser test-course test-ocr ocr update-frames test-voice bench check check-pictures trace lock audit licences clean
PY := .venv/bin/python
INSTALL = $(PY) -m pip install -qq --disable-pip-version-check --no-input --no-deps --require-hashes
LANGUAGE_GIVEN := $(if $(filter command,$(origin LANGUAGE)),$(LANGUAGE))
OPTIONS = $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN)) $(if $(QUALITY),--quality $(QUALITY)) $(if $(SCENES),--scenes $(SCENES)) $(if $(JOBS),--jobs $(JOBS)) $(if $(FORCE),--force) $(if $(VOICE),--voice $(VOICE))

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
setup: ## make .venv ready, installing what is missing
	@bash pipeline/setup.sh
voice: setup ## install the synthesised voice (about 125 MB to fetch); then make render speaks
	@$(INSTALL) --requirement requirements/voice.lock && $(PY) -m pipeline.voice.install
render: setup ## the film into media/film; LANGUAGE=all|zh|en QUALITY=draft|standard|high|ultra SCENES=id,id JOBS=n FORCE=1 VOICE=none|recordings|kokoro
	@$(PY) -m pipeline.cli render $(OPTIONS)
preview: setup ## one scene, quick and small: SCENE=id LANGUAGE=en
	@$(PY) -m pipeline.cli preview $(or $(SCENE),$(error say which scene: make preview SCENE=embedding)) $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN))
contact-sheet: setup ## the frames at the end of each beat with their words, one picture a scene: LANGUAGE=all SCENES=id,id EVERY=seconds
	@$(PY) -m pipeline.cli contact-sheet $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN)) $(if $(SCENES),--scenes $(SCENES)) $(if $(EVERY),--every $(EVERY)) $(if $(QUALITY),--quality $(QUALITY)) $(if $(JOBS),--jobs $(JOBS))
posters: setup ## the frames that stand for the film and its scenes: LANGUAGE=all QUALITY=draft|standard|high|ultra
	@$(PY) -m pipeline.cli posters --language $(or $(LANGUAGE_GIVEN),all) $(if $(QUALITY),--quality $(QUALITY)) $(if $(JOBS),--jobs $(JOBS))
test: setup ocr ## lint, types, fast tests
	@$(PY) -m ruff check . && $(PY) -m mypy && $(PY) -m pytest -m "not slow and not browser and not voice and not faults" -n auto --dist loadgroup $(PYTEST)
test-slow: setup ## the tests that render whole films
	@$(PY) -m pytest -m slow $(PYTEST)
test-faults: setup ## renders killed, starved and misled, and hostile storyboards; writes docs/reliability.md
	@rm -rf media/faults && EXPLAINER_FAULT_ROWS=$(CURDIR)/media/faults $(PY) -m pytest tests/faults -m "faults or not slow" -n 2 --dist worksteal $(PYTEST) && $(PY) tests/faults/report.py media/faults docs/reliability.md
test-voice: voice ## let a speech recogniser write down what the voice says (150 MB more to fetch); ten minutes, and half an hour more where nothing is spoken yet
	@$(INSTALL) --requirement requirements/voice-test.lock && $(PY) -m pytest -m voice $(PYTEST)
test-ocr: setup ocr ## whether OCR reads the film's numbers in 1080p frames, at the end of every beat; takes a quarter of an hour
	@$(PY) -m pipeline.cli ocr $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN)) $(if $(SCENES),--scenes $(SCENES))
# Its authors have not declared the model's package for the newest Pythons; it runs there all the same.
ocr: setup ## install the OCR model where it is missing; `make test` and `make test-ocr` do so themselves
	@$(PY) -c 'import rapidocr_onnxruntime' 2>/dev/null || { echo 'setup: installing the OCR model'; $(INSTALL) --ignore-requires-python --requirement requirements/ocr.lock; }
course: setup ## site, SCORM packages and files to upload from the rendered film into media/course; LANGUAGE=zh QUALITY=draft OUT=folder
	@$(PY) -m pipeline.cli course $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN)) $(if $(QUALITY),--quality $(QUALITY)) $(if $(OUT),--out $(OUT))
update-frames: setup ## renew tests/data/frames, the last frame of each scene, after looking at what has changed
	@UPDATE_FRAMES=1 $(PY) -m pytest tests/scenes/test_scenes_last_frames.py -n auto --dist loadgroup
test-browser: setup ## the course kit in Chromium, with a learning platform; installs Chromium and npm packages where they are missing
	@bash tests/browser/setup.sh $(PY) && $(PY) -m pytest -m browser tests/browser $(PYTEST)
test-course: setup ## the film's own course kit in Chromium, scene by scene, with a learning platform; after make render LANGUAGE=all and make course
	@bash tests/browser/setup.sh $(PY) && EXPLAINER_COURSE=$(abspath $(or $(OUT),media/course)) $(PY) -m pytest -m browser tests/browser/test_real_course.py $(PYTEST)
bench: setup ## how long a film takes, ours against manim's, into docs/performance.md; takes an hour
	@$(PY) -m pipeline.bench --out docs/performance.md $(BENCH)
check: setup ## check storyboard.yaml
	@$(PY) -m pipeline.cli check
check-pictures: setup ## does every text fit its place? LANGUAGE=all|zh|en SCENES=id,id
	@$(PY) -m pipeline.cli check-pictures $(if $(LANGUAGE_GIVEN),--language $(LANGUAGE_GIVEN)) $(if $(SCENES),--scenes $(SCENES))
trace: setup ## every number of the film into media/trace.json
	@$(PY) -m pipeline.cli trace --format json --out media/trace.json
lock: setup ## renew requirements/*.lock from pyproject.toml; UPGRADE=1 takes the newest versions
	@$(INSTALL) --requirement requirements/maintain.lock && $(PY) requirements/renew.py $(if $(UPGRADE),--upgrade)
audit: setup ## whether a locked package has a known vulnerability; needs the network
	@$(INSTALL) --requirement requirements/maintain.lock && $(PY) requirements/audit.py
licences: setup ocr ## renew docs/licences.md; installs every extra
	@for extra in voice voice-test browser-test maintain; do $(INSTALL) --requirement requirements/$$extra.lock || exit 1; done; $(PY) requirements/licences.py
clean: ## remove rendered media and caches; .venv stays
	@if [ -f media/.lock ] && [ -x $(PY) ] && ! $(PY) -c 'import fcntl; fcntl.flock(open("media/.lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null; then \
		echo 'A render is at work in media; nothing was removed.' >&2; echo '    next: wait until it has finished, or stop it, then make clean' >&2; exit 1; fi
	@find media -mindepth 1 ! -name README.md -delete; rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis build; find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
