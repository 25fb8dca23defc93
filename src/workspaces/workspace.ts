import { z } from 'zod';

/** Names a time zone of the IANA database; an offset is none, since it knows no summer. */
export const timeZone = z.string().max(100).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin');

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** As much of a workspace's key as is ever shown again. */
export const maskedKey = z.object({ masked: z.string().nullable(), isSet: z.boolean() });

/** The same for every key: not even its ends are kept. */
export const keyMask = `ws_${'*'.repeat(32)}`;
