import {
  type Icon,
  IconAlertTriangle,
  IconArrowsSplit2,
  IconBook2,
  IconBriefcase,
  IconCalculator,
  IconCalendarStats,
  IconCash,
  IconChecks,
  IconExchange,
  IconFileDollar,
  IconFileExport,
  IconFileImport,
  IconHandStop,
  IconHistory,
  IconHome,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMail,
  IconMessageQuestion,
  IconPlugConnected,
  IconRefresh,
  IconRobot,
  IconScale,
  IconSettings,
  IconShieldCheck,
  IconStairsUp,
  IconStar,
  IconTable,
  IconTarget,
  IconTargetArrow,
  IconUserCheck,
  IconUserQuestion,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { type Role } from './session.js';

interface NavigationItem {
  readonly label: string;
  readonly to: string;
  readonly icon: Icon;
  /** Whether the bottom bar of a phone may have it, which has the first four of a role. */
  readonly isInBar?: boolean;
  /** Default: all roles of the group. */
  readonly roles?: readonly Role[];
  /** What the number beside the item counts. */
  readonly count?: 'approvals' | 'questions' | 'discrepancies' | 'answers';
  /** What people look for on the page, by which Ctrl K finds it too. */
  readonly contents?: readonly string[];
  /** The second key of the shortcut `g` …. */
  readonly key?: string;
}

interface NavigationGroup {
  /** Absent for items that stand alone at the top. */
  readonly label?: string;
  readonly roles: readonly Role[];
  readonly items: readonly NavigationItem[];
}

/** The pages by role, in the order of the navigation. A new page gets an entry here. */
const groups: readonly NavigationGroup[] = [
  {
    roles: ['admin'],
    items: [{ label: 'Overview', to: '/overview', icon: IconLayoutDashboard, isInBar: true, key: 'o' }],
  },
  {
    label: 'Team',
    roles: ['admin', 'manager'],
    items: [
      { label: 'Team', to: '/team', icon: IconUsers, isInBar: true, key: 't' },
      { label: 'Approvals', to: '/approvals', icon: IconChecks, isInBar: true, key: 'a', count: 'approvals' },
      { label: 'Quota progress', to: '/quota-progress', icon: IconTargetArrow, key: 'q' },
      { label: 'Questions', to: '/questions', icon: IconMessageQuestion, isInBar: true, count: 'questions' },
      { label: 'Discrepancies', to: '/discrepancies', icon: IconScale, key: 'x', count: 'discrepancies' },
      { label: 'Exceptions', to: '/exceptions', icon: IconAlertTriangle, key: 'e' },
      { label: 'Changes by agents', to: '/agent-changes', icon: IconRobot, roles: ['admin'] },
    ],
  },
  {
    label: 'My pay',
    roles: ['rep', 'manager'],
    items: [
      { label: 'My pay', to: '/me', icon: IconHome, isInBar: true, key: 'd' },
      { label: 'Statements', to: '/statements', icon: IconFileDollar, isInBar: true, key: 's' },
      { label: 'Deals', to: '/me/deals', icon: IconBriefcase, isInBar: true },
      { label: 'My plan', to: '/me/plan', icon: IconListDetails, key: 'p' },
      { label: 'If I close …', to: '/me/simulate', icon: IconCalculator, isInBar: true },
      { label: 'Questions', to: '/me/questions', icon: IconMessageQuestion, roles: ['rep'], count: 'answers' },
    ],
  },
  {
    label: 'Payroll',
    roles: ['payroll', 'admin'],
    items: [
      { label: 'Pay periods', to: '/payroll', icon: IconCash, isInBar: true, key: 'y' },
      {
        label: 'Month-end',
        to: '/month-end',
        icon: IconBook2,
        key: 'b',
        contents: ['liability', 'journals', 'accruals', 'accounting', 'close'],
      },
      { label: 'Holds', to: '/holds', icon: IconHandStop },
      { label: 'Hand-overs', to: '/hand-overs', icon: IconFileExport },
      { label: 'Statements', to: '/payroll-statements', icon: IconFileDollar, isInBar: true },
      { label: 'People and IDs', to: '/people', icon: IconUsers, isInBar: true },
    ],
  },
  {
    label: 'Finance',
    roles: ['finance'],
    items: [
      { label: 'Month-end', to: '/month-end', icon: IconBook2, isInBar: true, key: 'b' },
      { label: 'Statements', to: '/payroll-statements', icon: IconFileDollar, isInBar: true },
      { label: 'Hand-overs', to: '/hand-overs', icon: IconFileExport, isInBar: true },
    ],
  },
  {
    label: 'Audit',
    roles: ['auditor'],
    items: [
      { label: 'Evidence', to: '/evidence', icon: IconShieldCheck, isInBar: true, key: 'e' },
      { label: 'Audit log', to: '/audit', icon: IconHistory, isInBar: true, key: 'a' },
      { label: 'Statements', to: '/payroll-statements', icon: IconFileDollar, isInBar: true },
      { label: 'Discrepancies', to: '/discrepancies', icon: IconScale, key: 'x' },
      { label: 'Month-end', to: '/month-end', icon: IconBook2, key: 'b' },
      { label: 'Hand-overs', to: '/hand-overs', icon: IconFileExport },
    ],
  },
  {
    label: 'Payroll',
    roles: ['manager'],
    items: [{ label: 'Pay periods', to: '/payroll', icon: IconCash, key: 'y' }],
  },
  {
    label: 'Plans',
    roles: ['admin'],
    items: [
      { label: 'Plans', to: '/plans', icon: IconListDetails, key: 'p' },
      { label: 'Assignments', to: '/assignments', icon: IconUserCheck },
      { label: 'Quotas', to: '/quotas', icon: IconTarget },
      { label: 'Scores', to: '/scores', icon: IconStar, contents: ['objectives', 'MBO', 'points'] },
      { label: 'Ramps', to: '/ramps', icon: IconStairsUp },
      { label: 'Rate tables', to: '/rate-tables', icon: IconTable, contents: ['rates by product', 'rate cards'] },
      { label: 'Credit rules', to: '/credit-rules', icon: IconArrowsSplit2 },
      { label: 'Exchange rates', to: '/fx-rates', icon: IconExchange },
    ],
  },
  {
    label: 'Data',
    roles: ['admin'],
    items: [
      { label: 'Deals', to: '/deals', icon: IconBriefcase, key: 'd' },
      { label: 'People', to: '/members', icon: IconUsers, key: 'm' },
      { label: 'Owners', to: '/owners', icon: IconUserQuestion },
      { label: 'Imports', to: '/imports', icon: IconFileImport, key: 'i' },
      { label: 'Recalculations', to: '/recalculations', icon: IconRefresh, key: 'r' },
      { label: 'Audit', to: '/audit', icon: IconHistory },
      { label: 'Evidence', to: '/evidence', icon: IconShieldCheck, contents: ['auditors', 'packet', 'sample'] },
    ],
  },
  {
    label: 'Settings',
    roles: ['admin'],
    items: [
      { label: 'Connections', to: '/connections', icon: IconPlugConnected, key: 'c' },
      { label: 'Webhooks', to: '/endpoints', icon: IconWebhook },
      { label: 'API keys', to: '/keys', icon: IconKey },
      { label: 'Fields of people', to: '/person-fields', icon: IconListDetails, contents: ['custom fields', 'region'] },
      { label: 'Fiscal calendar', to: '/fiscal-calendar', icon: IconCalendarStats },
      { label: 'Mail and sign-in', to: '/installation', icon: IconMail },
      {
        label: 'Workspace',
        to: '/workspace',
        icon: IconSettings,
        key: 'w',
        contents: [
          'currency',
          'time zone',
          'settings',
          'chain of approval',
          'limit for adjustments',
          'payouts',
          'security',
          'subscription',
        ],
      },
    ],
  },
];

export function listNavigation(role: Role): readonly NavigationGroup[] {
  return groups
    .filter(({ roles }) => roles.includes(role))
    .map((group) => ({ ...group, items: group.items.filter(({ roles = [role] }) => roles.includes(role)) }));
}

/** The pages of all groups. */
export function listPages(role: Role): readonly NavigationItem[] {
  return listNavigation(role).flatMap(({ items }) => items);
}

/** The pages whose name, or something on them, contains the text. */
export function findPages(role: Role, text: string): readonly NavigationItem[] {
  const matches = (words: string) => words.toLowerCase().includes(text.toLowerCase());
  return listPages(role).filter(
    ({ label, contents = [] }) => matches(label) || (text !== '' && contents.some(matches)),
  );
}

/** The address of the page with this name in the navigation of a role. */
export function findUrl(role: Role, name: string): string | undefined {
  return listPages(role).find(({ label }) => label === name)?.to;
}

/** The list to which the page of a single statement, question or deal belongs: the first that the role has. */
const parents: readonly (readonly [path: RegExp, lists: readonly string[]])[] = [
  [/^\/statements\/./, ['/approvals', '/payroll-statements', '/statements']],
  [/^\/questions\/./, ['/questions', '/me/questions']],
  [/^\/deals\/./, ['/deals', '/me/deals']],
  [/^\/new-rate-table$/, ['/rate-tables']],
];

/** The page of the navigation to which the address belongs; undefined for none. The own statement belongs to the own list. */
export function findActivePage(role: Role, ownRepId: string, path: string): string | undefined {
  const pages = listPages(role).map(({ to }) => to);
  if (path === `/statements/${ownRepId}` && pages.includes('/statements')) return '/statements';
  const lists = parents.find(([pattern]) => pattern.test(path))?.[1];
  if (lists !== undefined) return lists.find((list) => pages.includes(list));
  const containing = pages.filter((to) => path === to || (to !== '/me' && path.startsWith(`${to}/`)));
  return containing.sort((a, b) => b.length - a.length)[0];
}

/**
 * Pages of admins alone are closed to every other role, and deals to payroll and finance, which see pay and not what it is
 * for. Auditors change nothing, so that pages on which others do are closed to them.
 */
export function mayOpen(role: Role, path: string): boolean {
  if (path.startsWith('/deals/')) return role !== 'payroll' && role !== 'finance';
  const owners = listOwners(path);
  if (owners.length === 0 || owners.includes(role)) return true;
  return role !== 'auditor' && owners.some((owner) => owner !== 'admin');
}

/** The roles whose navigation has the page; none for pages below others. */
function listOwners(path: string): readonly Role[] {
  return groups.flatMap(({ roles, items }) =>
    items.filter(({ to }) => to === path).flatMap((item) => item.roles ?? roles),
  );
}

/** The first page of a role. */
export function findHome(role: Role): string {
  return listPages(role)[0]?.to ?? '/account';
}

/** Names of roles as the interface displays them. */
export const roleNames: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  manager: 'Manager',
  payroll: 'Payroll',
  finance: 'Finance',
  auditor: 'Auditor',
  rep: 'Rep',
};
