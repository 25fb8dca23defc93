import { text } from '../platform/operations/schemas.js';

/** What a person does and where. Lists are filtered by it; commission does not depend on it. */
export interface Profile {
  readonly title: string | null;
  readonly team: string | null;
  readonly location: string | null;
}

export const noProfile: Profile = { title: null, team: null, location: null };

/** The fields of a profile in requests; those that are absent stay. */
export const profileChange = {
  title: text(200).nullable().optional().describe('Job title, such as Account Executive; null for none'),
  team: text(200).nullable().optional().describe('Name of the team; null for none'),
  location: text(200).nullable().optional().describe('Office, city or region; null for none'),
};

export type ProfileChange = { readonly [Field in keyof Profile]?: string | null | undefined };

export function changedProfile({ title, team, location }: ProfileChange, known: Profile): Profile {
  return {
    title: title === undefined ? known.title : title,
    team: team === undefined ? known.team : team,
    location: location === undefined ? known.location : location,
  };
}

export function isSameProfile(a: Profile, b: Profile): boolean {
  return a.title === b.title && a.team === b.team && a.location === b.location;
}
