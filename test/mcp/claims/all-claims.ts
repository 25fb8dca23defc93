import { type Claims } from './claim-world.js';
import { commissionClaims } from './commission-claims.js';
import { peopleClaims } from './people-claims.js';
import { planClaims } from './plan-claims.js';
import { readingClaims } from './reading-claims.js';

/** The claims of all tools, in groups that share a workspace. */
export const groups: Readonly<Record<string, Claims>> = {
  'for plans': planClaims,
  'for people, assignments and quotas': peopleClaims,
  'for commission': commissionClaims,
  'for everything else': readingClaims,
};
