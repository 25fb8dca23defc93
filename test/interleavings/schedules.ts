/** Who speaks, statement by statement: 0 or 1. When it is used up, whoever spoke last goes on to the end. */
export type Schedule = readonly (0 | 1)[];

/**
 * Every way to run two sessions of so many statements with one switch in the middle of the other, then the ways with
 * two, spread evenly over all of them up to the limit. Nearly every race shows with two switches; all orders of two
 * times ten statements would be 184,756.
 */
export function schedules(stepsOfFirst: number, stepsOfSecond: number, most: number): Schedule[] {
  const once = [
    ...counts(stepsOfFirst).map((ran) => switching(0, [ran, stepsOfSecond])),
    ...counts(stepsOfSecond).map((ran) => switching(1, [ran, stepsOfFirst])),
  ];
  const twice = [
    ...counts(stepsOfFirst).flatMap((a) =>
      counts(stepsOfSecond).map((b) => switching(0, [a, b, stepsOfFirst - a, stepsOfSecond - b])),
    ),
    ...counts(stepsOfSecond).flatMap((b) =>
      counts(stepsOfFirst).map((a) => switching(1, [b, a, stepsOfSecond - b, stepsOfFirst - a])),
    ),
  ];
  const fromOnce = spread(once, Math.ceil(most / 2));
  return [...fromOnce, ...spread(twice, most - fromOnce.length)];
}

/** 1 … n-1: a switch before the first statement or after the last is none. */
function counts(steps: number): number[] {
  return Array.from({ length: Math.max(steps - 1, 0) }, (_, index) => index + 1);
}

function switching(first: 0 | 1, runs: readonly number[]): Schedule {
  return runs.flatMap((length, index) => new Array<0 | 1>(length).fill(((first + index) % 2) as 0 | 1));
}

function spread<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)] as T);
}
