import { z } from 'zod';
import { withoutEndSlashes } from '../kernel/end-slashes.js';

export const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
export const port = whole(0, 65_535);
export const flag = z.enum(['0', '1', 'true', 'false']).transform((value) => value === '1' || value === 'true');
export const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (value) => protocols.some((protocol) => value.startsWith(`${protocol}://`)),
      `must start with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`,
    );

export const parsedUrl = (protocols: readonly string[]) =>
  url(protocols).refine((value) => URL.canParse(value), 'must be a URL');

/** One URL, or several that are separated by commas. */
export const urls = (protocols: readonly string[]) =>
  url(protocols).refine(
    (value) => value.split(',').every((part) => parsedUrl(protocols).safeParse(part).success),
    'must be a comma-separated list of URLs',
  );

export const optionalText = z.string().min(1).optional();
/** An address to which paths are appended, without slashes at its end. */
export const baseUrl = parsedUrl(['http', 'https']).transform(withoutEndSlashes);
/** The address of an external API: HTTPS, or this machine where that is allowed. */
export const externalBase = (fallback: string) => baseUrl.default(fallback);
