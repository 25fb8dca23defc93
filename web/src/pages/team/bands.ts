/** Bands of attainment, each from its bound up to the next one. */
const bounds = [
  { key: 'under50', label: 'under 50 %', from: Number.NEGATIVE_INFINITY, isAtTarget: false },
  { key: '50to75', label: '50 to 75 %', from: 0.5, isAtTarget: false },
  { key: '75to100', label: '75 to 100 %', from: 0.75, isAtTarget: false },
  { key: '100to125', label: '100 to 125 %', from: 1, isAtTarget: true },
  { key: 'from125', label: '125 % or more', from: 1.25, isAtTarget: true },
] as const;

const withoutQuota = { key: 'none', label: 'no quota', isAtTarget: false } as const;

export const bands = [...bounds, withoutQuota] as const;
export type BandKey = (typeof bands)[number]['key'];
export const bandKeys = bands.map(({ key }) => key);

/** The band of an attainment; undefined is that of a person without a quota. */
export function findBand(attainment: number | undefined): BandKey {
  if (attainment === undefined) return withoutQuota.key;
  return bounds.findLast(({ from }) => attainment >= from)?.key ?? bounds[0].key;
}
