import { api } from '../../api/client.js';
import { withoutAccents } from '../../shared/format/texts.js';
import { type PersonField } from '../people/person-fields.js';
import { sendingRows } from './columns.js';
import {
  bare,
  cellReader,
  emailFinder,
  hasColumn,
  type ImportKind,
  type ImportOption,
  type Matched,
  type Prepared,
  type Target,
} from './kind.js';

const targets: readonly Target[] = [
  {
    key: 'name',
    label: 'Name',
    names: ['name', 'fullname', 'salesagent', 'rep', 'agent', 'person', 'employee', 'salesrep'],
    like: /name|agent|rep\b/,
    values: 'text',
  },
  { key: 'email', label: 'E-mail', names: ['email', 'repemail', 'mail', 'emailaddress'], like: /mail/, values: 'id' },
  {
    key: 'manager',
    label: 'Manager, by name or e-mail',
    names: [
      'manager',
      'manageremail',
      'managername',
      'reportsto',
      'supervisor',
      'vorgesetzter',
      'vorgesetzte',
      'vorgesetzterr',
    ],
    like: /manager|reports/,
    values: 'text',
  },
  {
    key: 'managerFrom',
    label: 'Manager since',
    names: ['managerfrom', 'managersince'],
    values: 'date',
    isFoundByName: true,
  },
  { key: 'role', label: 'Role', names: ['role'], values: 'text' },
  { key: 'title', label: 'Title', names: ['title', 'jobtitle', 'position'], like: /title/, values: 'text' },
  {
    key: 'team',
    label: 'Team',
    names: ['team', 'department', 'salesteam', 'dept', 'abteilung'],
    like: /team|department/,
    values: 'text',
  },
  { key: 'location', label: 'Location', names: ['location', 'office', 'city', 'standort'], values: 'text' },
  {
    key: 'crmMemberId',
    label: 'Owner ID in the CRM',
    names: ['crmmemberid', 'memberid', 'crmid', 'ownerid', 'userid'],
    like: /owner|crm/,
    values: 'id',
  },
  {
    key: 'hireDate',
    label: 'First day of employment',
    names: ['hiredate', 'startdate', 'hiredon', 'eintrittsdatum', 'eintritt'],
    like: /hire/,
    values: 'date',
    isFoundByName: true,
  },
  {
    key: 'endDate',
    label: 'Last day of employment',
    names: ['enddate', 'lastday', 'terminationdate', 'austrittsdatum', 'austritt'],
    like: /terminat/,
    values: 'date',
    isFoundByName: true,
  },
  { key: 'payrollId', label: 'Payroll ID', names: ['payrollid', 'employeeid', 'personnelnumber'], values: 'id' },
  { key: 'active', label: 'Active', names: ['active', 'isactive', 'status'], values: 'text' },
];

const usualColumns = [
  'email',
  'name',
  'role',
  'active',
  'crmMemberId',
  'payrollId',
  'managerEmail',
  'managerFrom',
] as const;
const optionalColumns = ['title', 'team', 'location', 'hireDate', 'endDate'] as const;
type ColumnName = (typeof usualColumns)[number] | (typeof optionalColumns)[number];
type Cells = Partial<Record<ColumnName, string>>;

/** Titles that say the role, such as "Sales Manager". Others stay as they are, and the dry run rejects them. */
const titles: readonly (readonly [pattern: RegExp, role: string])[] = [
  [/^(rep|manager|admin|payroll|finance|auditor)$/, '$&'],
  [/\b(manager|director|head|vp|vice president|lead|supervisor)\b/, 'manager'],
  [/\b(rep|representative|executive|ae|sdr|bdr|seller|agent|consultant)\b/, 'rep'],
];

function readRole(text: string): string {
  const title = text.trim().toLowerCase();
  const role = titles.find(([pattern]) => pattern.test(title))?.[1];
  return role === undefined ? text : role === '$&' ? title : role;
}

const activity: Readonly<Record<string, string>> = {
  active: 'true',
  employed: 'true',
  inactive: 'false',
  left: 'false',
  terminated: 'false',
};

function readActive(text: string): string {
  return activity[text.trim().toLowerCase()] ?? text;
}

function options(matched: Omit<Matched, 'options'>): readonly ImportOption[] {
  const hasEmail = hasColumn(matched, 'email');
  const domain = matched.context.people[0]?.email.split('@')[1] ?? '';
  const offered: readonly (ImportOption | false)[] = [
    !hasEmail && {
      key: 'domain',
      label: 'Domain of the e-mail addresses',
      hint: 'The file has no addresses. They are made from the names: Ana Silva gets ana.silva@ this domain.',
      type: 'text',
      initial: domain,
    },
    !hasColumn(matched, 'crmMemberId') && {
      key: 'namesAreOwners',
      label: 'Deals name owners as in this file',
      hint: 'Each name becomes the owner ID, which matches deals with the person.',
      type: 'check',
      initial: hasEmail ? '' : 'yes',
    },
    hasColumn(matched, 'manager') && {
      key: 'addManagers',
      label: 'Add managers who have no row of their own',
      type: 'check',
      initial: hasEmail ? '' : 'yes',
    },
  ];
  return offered.filter((option) => option !== false);
}

/** The address before the @, made from a name. */
function mailName(name: string): string {
  return withoutAccents(name)
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.+|\.+$/g, '');
}

/** The addresses of everyone whom the file names: given, already known, or made from the name. */
function addressBook(matched: Matched): (name: string, address: string) => string {
  const known = emailFinder(matched.context.people);
  const cell = cellReader(matched);
  const inFile = new Map(
    matched.table.rows.flatMap((row) => {
      const [name, email] = [cell(row, 'name'), cell(row, 'email')];
      return name === '' || email === '' ? [] : [[bare(name), email] as const];
    }),
  );
  const { domain = '' } = matched.options;
  return (name, address) => {
    if (address !== '') return address;
    if (name === '' || name.includes('@')) return name;
    const found = inFile.get(bare(name)) ?? known(name);
    if (found.includes('@')) return found;
    return domain === '' || mailName(name) === '' ? '' : `${mailName(name)}@${domain.replace(/^@/, '')}`;
  };
}

function prepare(matched: Matched): Prepared {
  const { table, options: chosen, context } = matched;
  const cell = cellReader(matched);
  const addressOf = addressBook(matched);
  const optional = optionalColumns.filter((name) => hasColumn(matched, name));
  const header: readonly ColumnName[] = [...usualColumns, ...optional];
  const managers = new Map<string, { name: string; source: number }>();
  const stored = new Set(context.people.map(({ email }) => email));
  const people = table.rows.map((row, index) => {
    const [name, manager] = [cell(row, 'name'), cell(row, 'manager')];
    const [email, managerEmail] = [addressOf(name, cell(row, 'email')), addressOf(manager, '')];
    if (managerEmail !== '' && !managers.has(managerEmail.toLowerCase()))
      managers.set(managerEmail.toLowerCase(), { name: manager, source: index + 1 });
    const crmMemberId = cell(row, 'crmMemberId') || (chosen['namesAreOwners'] === 'yes' ? name : '');
    return { source: index + 1, email, name, managerEmail, crmMemberId, row };
  });
  const listed = new Set(people.map(({ email }) => email.toLowerCase()));
  const roleOf = (email: string, role: string) =>
    role === '' && managers.has(email.toLowerCase()) && !stored.has(email.toLowerCase()) ? 'manager' : role;
  const added = [...managers]
    .filter(([email]) => chosen['addManagers'] === 'yes' && !listed.has(email) && !stored.has(email))
    .map(([email, { name, source }]) => ({
      source,
      cells: toRow(header, { email, name: name.includes('@') ? mailLabel(name) : name, role: 'manager' }),
    }));
  const rows = people.map(({ source, email, name, managerEmail, crmMemberId, row }) => ({
    source,
    cells: toRow(header, {
      email,
      name,
      role: roleOf(email, readRole(cell(row, 'role'))),
      active: readActive(cell(row, 'active')),
      crmMemberId,
      payrollId: cell(row, 'payrollId'),
      managerEmail,
      managerFrom: managerEmail === '' ? '' : cell(row, 'managerFrom'),
      ...Object.fromEntries(optional.map((name) => [name, cell(row, name)])),
    }),
  }));
  return { header, rows: [...added, ...rows], problems: listProblems(matched) };
}

function mailLabel(email: string): string {
  return email.split('@')[0] ?? email;
}

function toRow(header: readonly ColumnName[], cells: Cells): string[] {
  return header.map((name) => cells[name] ?? '');
}

function listProblems(matched: Matched): string[] {
  const [hasName, hasEmail] = [hasColumn(matched, 'name'), hasColumn(matched, 'email')];
  if (!hasName && !hasEmail) return ['Choose the column with the names or the e-mail addresses.'];
  if (!hasEmail && !/^@?[^\s@]+\.[^\s@]+$/.test(matched.options['domain'] ?? ''))
    return ['Enter the domain of the e-mail addresses, such as example.com.'];
  return [];
}

/** The import with a column for each field that the workspace defines. */
export function peopleImportWith(fields: readonly PersonField[]): ImportKind {
  if (fields.length === 0) return peopleImport;
  const columns = fields.map(({ slug, label, type }) => ({
    key: slug,
    target: { key: `field:${slug}`, label, names: [bare(label), bare(slug)], values: valueKinds[type] },
  }));
  return {
    ...peopleImport,
    targets: [...targets, ...columns.map(({ target }) => target)],
    prepare(matched) {
      const prepared = prepare(matched);
      const cell = cellReader(matched);
      const found = columns.filter(({ target }) => hasColumn(matched, target.key));
      const readCells = (source: number, isAdded: boolean) =>
        found.map(({ target }) => (isAdded ? '' : cell(matched.table.rows[source - 1] ?? [], target.key)));
      const added = prepared.rows.length - matched.table.rows.length;
      return {
        ...prepared,
        header: [...prepared.header, ...found.map(({ key }) => key)],
        rows: prepared.rows.map((row, index) => ({
          ...row,
          cells: [...row.cells, ...readCells(row.source, index < added)],
        })),
      };
    },
  };
}

const valueKinds = { text: 'text', select: 'text', number: 'number', date: 'date' } as const;

export const peopleImport: ImportKind = {
  key: 'people',
  title: 'Import people',
  one: 'person',
  many: 'people',
  intro: 'One row for each person, with their manager if they have one. People who exist are updated.',
  example: [
    ['Name', 'E-mail', 'Manager'],
    ['Dana Whitfield', 'dana@halden.test', 'Maya Ito'],
  ],
  targets,
  keepsColumns: false,
  options,
  prepare,
  send: sendingRows((request) => api.importReps(request)),
};
