import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { canonicalZone } from '../../kernel/time-zone.js';
import { type CrmAccountSettings, type CrmPermission, type CrmProvider } from '../adapters/port.js';
import { type WriteCheck } from '../adapters/write-back.js';

export const permissionRecord = z
  .object({
    name: z.string().describe('The scope, or the permission of the connected user, as the CRM calls it'),
    purpose: z.string().describe('What it is for'),
    granted: z.boolean().nullable().describe('Whether the account has granted it; null if the CRM does not report it'),
    required: z.boolean().describe('Whether the connection does not work without it'),
  })
  .describe('A scope or a permission that the connection needs');

export const connectionWarning = z
  .object({
    code: z
      .enum([
        'currency_differs',
        'time_zone_differs',
        'permission_missing',
        'permission_unknown',
        'write_back_impossible',
      ])
      .describe('What differs or is missing'),
    message: z.string().describe('What it means for commission, and what to do'),
  })
  .describe('Something that an admin should check after connecting');
export type ConnectionWarning = z.input<typeof connectionWarning>;

/** Rejects a connection that cannot work, and names every missing permission. */
export function assertPermitted(provider: CrmProvider, permissions: readonly CrmPermission[]): void {
  const missing = permissions.filter(({ required, granted }) => required && granted === false);
  if (missing.length === 0) return;
  const list = missing.map(({ name, purpose }) => `${name} (${purpose})`).join(', ');
  throw new Failure('crm_refused', `${provider} does not grant ${list}. Grant it in the CRM and connect again.`, {
    reason: 'missing_permissions',
    missing: missing.map(({ name }) => name),
  });
}

/** What an admin should check, although the connection works. */
export function findWarnings(
  workspace: { readonly currency: string; readonly timeZone: string },
  { currency, timeZone }: CrmAccountSettings,
  permissions: readonly CrmPermission[],
): ConnectionWarning[] {
  const warnings: ConnectionWarning[] = [];
  if (currency !== null && currency !== workspace.currency)
    warnings.push({
      code: 'currency_differs',
      message: `Deals without a currency are in ${currency}, the currency of the CRM account. The workspace uses ${workspace.currency}: plans in ${workspace.currency} do not pay on these deals.`,
    });
  if (timeZone !== null && !isSameZone(timeZone, workspace.timeZone))
    warnings.push({
      code: 'time_zone_differs',
      message: `Close dates follow ${timeZone}, the time zone of the CRM account. The workspace uses ${workspace.timeZone}.`,
    });
  for (const { name, purpose, granted } of permissions)
    if (granted !== true)
      warnings.push({
        code: granted === false ? 'permission_missing' : 'permission_unknown',
        message:
          granted === false
            ? `The connected user lacks ${name}: ${purpose} are not imported.`
            : `The CRM does not report whether the connected user has ${name}. It is needed for ${purpose}.`,
      });
  return warnings;
}

/** What prevents writing commission to the CRM; nothing if none is written. */
export function writeWarnings(check: WriteCheck | null): ConnectionWarning[] {
  return (check?.findings ?? []).map(({ message }) => ({
    code: 'write_back_impossible',
    message: `Commission is not written to the CRM. ${message}`,
  }));
}

/** One zone has several names, such as US/Eastern and America/New_York. */
function isSameZone(zone: string, other: string): boolean {
  return canonicalZone(zone) === canonicalZone(other);
}
