import { type ResolveHook } from 'node:module';

const mark = '?floats';

/** Marks every import of a marked module, and replaces the decimals by floats. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  const marked = context.parentURL?.endsWith(mark) === true && resolved.url.startsWith('file:');
  if (!marked || resolved.url.includes('/node_modules/')) return resolved;
  const url = resolved.url.endsWith('/kernel/decimal.js')
    ? new URL('float-decimal.js', import.meta.url).href
    : `${resolved.url}${mark}`;
  return { ...resolved, url };
};
