import { type SlugMapping } from '../../engine/slug.js';

/** Reads a plan's stored field mapping: flat slugs, or separate standard values and measures. */
export function canonicalFieldMapping(stored: unknown): SlugMapping {
  if (stored === null || typeof stored !== 'object') return {};
  const { standard, measures, ...flat } = stored as Record<string, unknown>;
  const parts = [standard, measures].filter(
    (part): part is Record<string, string> => typeof part === 'object' && part !== null,
  );
  return Object.assign({}, flat as Record<string, string>, ...parts) as SlugMapping;
}
