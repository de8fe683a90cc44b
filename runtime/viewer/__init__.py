"""A mechanism in the browser, served by viser: models posed by sliders, motions played, simulators that go on."""
