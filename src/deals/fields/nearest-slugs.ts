import { editDistance } from '../../kernel/edit-distance.js';

/**
 * The candidates that a misspelled slug most likely means, likeliest first: at most three within an edit distance of
 * half its length.
 */
export function nearestSlugs(slug: string, candidates: Iterable<string>): string[] {
  const target = bare(slug);
  const maxDistance = Math.max(1, Math.floor(target.length / 2));
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: editDistance(target, bare(candidate)) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function bare(slug: string): string {
  return slug
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 60);
}
