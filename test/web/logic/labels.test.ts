import { expect } from 'chai';
import fc from 'fast-check';
import { isLabelLeft, visibleThresholds, withoutOverlap } from '#web/shared/format/labels.js';

const places = fc
  .array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 8 })
  .map((all) => all.sort((a, b) => a - b));

describe('the labels of a scale', () => {
  for (const [title, at, named, visible] of [
    ['all that have room', [0, 12, 24], [], [true, true, true]],
    ['none that touches the one before', [0, 11.9, 24], [], [true, false, true]],
    ['the named one in any case', [0, 5, 24], [1], [false, true, true]],
    ['both ends in any case', [0, 5, 95, 100], [0, 3], [true, false, false, true]],
    ['nothing of nothing', [], [0], []],
    ['the first of two at one place', [50, 50], [], [true, false]],
  ] as const)
    it(`are ${title}`, () => {
      expect(withoutOverlap(at, 12, named)).to.deep.equal(visible);
    });

  it('never overlap, and are left out only where they would', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 1, max: 30 }), fc.nat(7), (at, room, current) => {
        const visible = withoutOverlap(at, room, [current]);
        const displayed = at.filter((_, index) => visible[index]);
        displayed.forEach((place, index) => {
          if (index > 0) expect(place - (displayed[index - 1] ?? 0)).to.be.at.least(room);
        });
        if (current < at.length) expect(visible[current]).to.equal(true);
        at.forEach((place, index) => {
          if (!visible[index]) expect(displayed.some((other) => Math.abs(other - place) < room)).to.equal(true);
        });
      }),
      { seed: 37, numRuns: 300 },
    );
  });

  it('of thresholds leave room for that of the present place', () => {
    for (const [at, now, room, isLeft, visible] of [
      [[0, 50, 62], 55, 9, true, [true, false, true]],
      [[0, 50, 56], 55, 9, true, [true, false, false]],
      [[0, 5, 100], 30, 9, false, [true, false, true]],
      [[0], 0, 9, false, [false]],
      // On the left there is no room for the label of the present position.
      [[0, 20, 60], 10, 28, false, [false, false, true]],
    ] as const) {
      expect(isLabelLeft(at, now, room)).to.equal(isLeft);
      expect(visibleThresholds(at, now, room, isLeft)).to.deep.equal(visible);
    }
    // The end of the scale is closer than the label is wide.
    expect(isLabelLeft([0, 50], 75, 28)).to.equal(true);
    expect(isLabelLeft([0, 50], 75, 9)).to.equal(false);
  });
});
