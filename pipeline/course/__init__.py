"""The course kit: the rendered film as a site, as SCORM packages and as files to upload."""
