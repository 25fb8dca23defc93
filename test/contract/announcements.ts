import { type Change } from './compare.js';

/**
 * Whether an entry under `### Breaking` in the newest section of the changelog names the changed part, in backticks.
 * Its words are for people; one entry may announce several changes.
 */
export function isAnnounced({ subject, part }: Change, changelog: string): boolean {
  const newest = changelog.split(/^## /m)[1] ?? '';
  const breaking = newest.split(/^### /m).find((section) => section.startsWith('Breaking\n')) ?? '';
  const names = [subject.replace(/^tool /, ''), ...(part === null ? [] : [part])].map((name) => `\`${name}\``);
  return breaking.split(/^- /m).some((entry) => names.every((name) => entry.includes(name)));
}
