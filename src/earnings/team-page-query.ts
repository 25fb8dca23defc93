import { z } from 'zod';
import { type OptionalPage, optionalPage } from '../platform/operations/schemas.js';
import { type TeamPage } from './team-page.js';

const statuses = ['none', 'draft', 'approved', 'open', 'missing'] as const;

/** The query of a list of the team, which is complete by default. */
export const teamPageQuery = {
  ...optionalPage('people'),
  status: z
    .enum(statuses)
    .optional()
    .describe(
      'Without repId: only people whose statement of the period has this status; none if there is no version, open if it is not approved, missing if it is open and no other approved statement pays its days',
    ),
};

interface RequestedPage extends OptionalPage {
  readonly status?: (typeof statuses)[number] | undefined;
}

/** Undefined if everyone is meant. */
export function pageOfTeam({ limit, offset = 0, status }: RequestedPage): TeamPage | undefined {
  if (limit === undefined && status === undefined) return undefined;
  return { limit: limit ?? 10_000, offset, status };
}
