import { type Answer } from '../../api/client.js';
import { type Integration } from '../../api/settings-queries.js';
import { linesOf, toLines } from '../../shared/format/entered-lists.js';

type Settings = Answer<'getCrmSettings'>;

/** Lists as texts with one value on each line, and the fields as pairs. */
export interface EnteredCrmSettings {
  readonly teams: string;
  readonly roles: string;
  readonly emails: string;
  readonly closedFrom: string;
  readonly pipelines: string;
  readonly fields: string;
  readonly lineItems: 'yes' | 'no';
  readonly companyFields: string;
  readonly polling: 'on' | 'off';
  readonly pollSeconds: string;
  readonly writing: 'on' | 'off';
  readonly splits: 'yes' | 'no';
  readonly lines: 'yes' | 'no';
  readonly lineFields: string;
  readonly lineReference: string;
  readonly splitTypes: string;
  readonly commission: string;
  readonly commissionTotal: string;
  readonly state: string;
  readonly currency: string;
  readonly attainment: string;
}

export function toEntered(
  settings: Settings,
  { syncEnabled, pollSeconds }: Pick<Integration, 'syncEnabled' | 'pollSeconds'>,
): EnteredCrmSettings {
  const { people, deals, fields, lineItems, companyFields, credits, lines, writeBack } = settings;
  return {
    teams: toLines(people?.teams ?? []),
    roles: toLines(people?.roles ?? []),
    emails: toLines(people?.emails ?? []),
    closedFrom: deals.closedFrom ?? '',
    pipelines: toLines(deals.pipelines),
    fields: toPairsText(fields),
    lines: lines === null ? 'no' : 'yes',
    lineFields: toPairsText(lines?.fields ?? {}),
    lineReference: lines?.reference ?? '',
    lineItems: lineItems ? 'yes' : 'no',
    companyFields: toLines(companyFields),
    splits: credits === null ? 'no' : 'yes',
    splitTypes: toTypesText(credits?.types ?? {}),
    polling: syncEnabled ? 'on' : 'off',
    pollSeconds: pollSeconds === null ? '' : String(pollSeconds),
    ...toEnteredWriting(writeBack),
  };
}

function toEnteredWriting(writeBack: Settings['writeBack']) {
  return {
    writing: writeBack === null ? ('off' as const) : ('on' as const),
    commission: writeBack?.commission ?? '',
    commissionTotal: writeBack?.commissionTotal ?? '',
    state: writeBack?.state ?? '',
    currency: writeBack?.currency ?? '',
    attainment: writeBack?.attainment ?? '',
  };
}

function toPairsText(pairs: Readonly<Record<string, string>>): string {
  return toLines(Object.entries(pairs).map(([name, slug]) => `${name}=${slug}`));
}

function toPairs(text: string): Record<string, string> {
  const pairs = linesOf(text).map((pair) => pair.split('=').map((part) => part.trim()));
  return Object.fromEntries(pairs.map(([name = '', slug = '']) => [name, slug]));
}

type SplitTypes = NonNullable<Settings['credits']>['types'];

/** Types as `Revenue=split` and `SE credit=overlay SE`: what the splits are, and the role of people with them. */
function toTypesText(types: SplitTypes): string {
  return toLines(
    Object.entries(types).map(
      ([name, type]) => `${name}=${typeof type === 'string' ? type : `${type.kind} ${type.role}`}`,
    ),
  );
}

function toTypes(text: string): SplitTypes {
  const types = linesOf(text).map((pair) => {
    const [name = '', meaning = ''] = pair.split('=').map((part) => part.trim());
    const [kind = '', ...role] = meaning.split(' ');
    // The service rejects another kind, with the name of the type.
    return [name, role.length === 0 ? kind : { kind, role: role.join(' ') }] as const;
  });
  return Object.fromEntries(types) as SplitTypes;
}

export function toSettings(entered: EnteredCrmSettings): Settings {
  const people = { teams: linesOf(entered.teams), roles: linesOf(entered.roles), emails: linesOf(entered.emails) };
  return {
    people: Object.values(people).every((list) => list.length === 0) ? null : people,
    deals: { closedFrom: entered.closedFrom || null, pipelines: linesOf(entered.pipelines) },
    fields: toPairs(entered.fields),
    lineItems: entered.lineItems === 'yes',
    companyFields: linesOf(entered.companyFields),
    lines: entered.lines === 'no' ? null : toProducts(entered),
    credits: entered.splits === 'no' ? null : { types: toTypes(entered.splitTypes) },
    writeBack: entered.writing === 'off' ? null : toWritten(entered),
  };
}

function toProducts({ lineFields, lineReference }: EnteredCrmSettings): Settings['lines'] {
  const reference = lineReference.trim();
  return { fields: toPairs(lineFields), ...(reference === '' ? {} : { reference }) };
}

function toWritten({
  commission,
  commissionTotal,
  state,
  currency,
  attainment,
}: EnteredCrmSettings): Settings['writeBack'] {
  const named = (name: string) => name.trim() || null;
  return {
    commission: commission.trim(),
    commissionTotal: named(commissionTotal),
    state: named(state),
    currency: named(currency),
    attainment: named(attainment),
  };
}
