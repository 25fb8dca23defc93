import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { usePersonNames } from '../../api/people-by-id.js';
import { type Person } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { roleNames } from '../../app/navigation.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { CheckField, Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { FieldInput } from '../../features/people/FieldInput.js';
import { PersonChoice } from '../../features/people/PersonChoice.js';
import { type PersonField, personFieldsQuery } from '../../features/people/person-fields.js';
import { formatDay, isEnteredRange } from '../../shared/format/dates.js';
import { inWords } from '../../shared/format/in-words.js';
import { formatCount } from '../../shared/format/numbers.js';

type Answered = Answer<'changeReps'>['people'][number];
type Change = NonNullable<Parameters<typeof api.changeReps>[0]>['body']['change'];

interface ChangePeopleDialogProps {
  readonly chosen: readonly Person[];
  /** What is changed, where the page says it; otherwise the dialog asks. */
  readonly what?: Entered['what'];
  /** Where the choice is kept until it is sent. */
  readonly storageKey?: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface Entered {
  /** What is changed, such as `team`, or `fields.` and the slug. */
  readonly what: string;
  readonly value: string;
  /** Whether they lose what they have: an empty value alone removes nothing. */
  readonly isRemoved: boolean;
  readonly from: string;
}

const nothing: Entered = { what: '', value: '', isRemoved: false, from: '' };

const choices = [
  ['team', 'Team'],
  ['title', 'Title'],
  ['location', 'Location'],
  ['managerId', 'Manager'],
  ['role', 'Role'],
  ['active', 'Sign-in'],
] as const;

/** The value of the preview; it is requested again when the change differs. */
const previewQuery = (repIds: readonly string[], change: Change | null) =>
  queryOptions({
    queryKey: ['dry-run', 'people', repIds, change],
    queryFn: () => api.changeReps({ query: { dryRun: 'true' }, body: { repIds: [...repIds], change: change ?? {} } }),
    enabled: change !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** One value for many people, with what it changes for each of them before it does. */
export function ChangePeopleDialog(props: ChangePeopleDialogProps) {
  const { chosen, what = '', storageKey = 'change people', onClose, onDone } = props;
  const form = usePersistedForm<Entered>(storageKey, { ...nothing, what });
  const entered = form.values;
  const { data: fields = [] } = useQuery(personFieldsQuery);
  const repIds = chosen.map(({ id }) => id);
  const change = toChange(entered);
  const preview = useQuery(previewQuery(repIds, change));
  const nameOf = usePersonNames(namedIn(preview.data?.people ?? []));
  const save = useChange({
    send: () => api.changeReps({ body: { repIds, change: change ?? {} } }),
    onDone: ({ changed, rejected }) => {
      const others = rejected === 0 ? '' : ` ${formatCount(rejected, 'person', 'people')} could not be changed.`;
      showMessage(`${formatCount(changed, 'person', 'people')} changed.${others}`);
      form.clear();
      onDone();
    },
  });
  const count = change === null ? 0 : (preview.data?.changed ?? 0);
  const [only] = chosen;
  return (
    <Dialog
      title={`Change ${only === undefined || chosen.length > 1 ? formatCount(chosen.length, 'person', 'people') : only.name}`}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: count === 0 || preview.isPlaceholderData,
        children: count === 0 ? 'Change' : `Change ${formatCount(count, 'person', 'people')}`,
      }}
    >
      {what === '' ? (
        <Choice
          label="What"
          value={entered.what}
          choices={[
            ['', 'Choose what changes'],
            ...choices,
            ...fields.map(({ slug, label }) => [`fields.${slug}`, label] as const),
          ]}
          onChange={({ currentTarget }) => form.change({ ...nothing, what: currentTarget.value })}
        />
      ) : null}
      {entered.what === '' ? null : (
        <ValueInput entered={entered} chosen={repIds} fields={fields} onChange={form.change} />
      )}
      {change === null ? null : (
        <Loaded query={preview} height={180}>
          {(loaded) => (
            <>
              {loaded.effect === undefined ? null : (
                <EffectOfChange query={{ ...preview, data: loaded.effect }} what="change" />
              )}
              <DataTable
                caption="What changes"
                columns={buildColumns(nameOf)}
                rows={loaded.people}
                rowKey={({ repId }) => repId}
                rowHeight={40}
              />
            </>
          )}
        </Loaded>
      )}
    </Dialog>
  );
}

interface ValueInputProps {
  readonly entered: Entered;
  /** The ids of those who are changed. */
  readonly chosen: readonly string[];
  readonly fields: readonly PersonField[];
  readonly onChange: (part: Partial<Entered>) => void;
}

/** The new value; what people can be without is removed by a separate choice. */
function ValueInput(props: ValueInputProps) {
  const { what, isRemoved } = props.entered;
  const isNeeded = what === 'role' || what === 'active';
  return (
    <>
      {isRemoved ? null : <NewValue {...props} />}
      {isNeeded ? null : (
        <CheckField
          label="Remove what they have"
          checked={isRemoved}
          onChange={({ currentTarget }) => props.onChange({ value: '', isRemoved: currentTarget.checked })}
        />
      )}
    </>
  );
}

function NewValue({ entered, chosen, fields, onChange }: ValueInputProps) {
  const { what, value, from } = entered;
  const set = (next: string) => onChange({ value: next });
  const choose = {
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  };
  const field = fields.find(({ slug }) => what === `fields.${slug}`);
  if (field !== undefined) return <FieldInput field={field} value={value} onChange={set} />;
  switch (what) {
    case 'role':
      return <Choice label="Role" choices={[['', 'Choose a role'], ...Object.entries(roleNames)]} {...choose} />;
    case 'active':
      return <Choice label="Sign-in" choices={signIn} {...choose} />;
    case 'managerId':
      return (
        <>
          <PersonChoice
            label="Manager"
            except={chosen.length === 1 ? chosen : []}
            first={[['', 'Choose a manager']]}
            {...choose}
          />
          <TextField
            label="Manager since"
            type="date"
            hint="Empty: on all days. Rules of managers pay by the manager of each day."
            value={from}
            onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
          />
        </>
      );
    default: {
      const label = choices.find(([key]) => key === what)?.[1] ?? what;
      return <TextField label={label} {...choose} />;
    }
  }
}

const signIn = [
  ['', 'Choose'],
  ['true', 'may sign in'],
  ['false', 'may not sign in'],
] as const;

/** The change; null while nothing is chosen. */
function toChange({ what, value, isRemoved, from }: Entered): Change | null {
  const text = value.trim() || null;
  if (what === '' || (text === null && !isRemoved)) return null;
  if (what.startsWith('fields.')) return { fields: { [what.slice('fields.'.length)]: text } };
  if (what === 'role') return { role: value as Person['role'] };
  if (what === 'active') return { active: value === 'true' };
  if (what === 'managerId' && !isEnteredRange(from || null, null)) return null;
  if (what === 'managerId') return { managerId: text, ...(from === '' ? {} : { managerFrom: from }) };
  return { [what]: text };
}

/** The people whom the changes name, such as managers. */
function namedIn(people: readonly Answered[]): readonly (string | undefined)[] {
  return people.flatMap(({ changes }) =>
    changes.flatMap(({ from, to }) => [from, to].map((value) => value?.split(' from ')[0])),
  );
}

function buildColumns(nameOf: ReturnType<typeof usePersonNames>): readonly Column<Answered>[] {
  const wordsOf = (field: string, value: string | null) => {
    if (value === null) return 'none';
    if (field === 'role') return roleNames[value as Person['role']];
    if (field === 'active') return value === 'true' ? 'may sign in' : 'may not sign in';
    if (field !== 'nextManager') return nameOf(value) ?? inWords(value);
    const [id = '', day = ''] = value.split(' from ');
    return `${nameOf(id) ?? '…'} from ${formatDay(day, 'year')}`;
  };
  return [
    { key: 'name', header: 'Person', phone: 'title', cell: ({ name }) => name ?? 'Unknown' },
    {
      key: 'change',
      header: 'Change',
      phone: 'note',
      cell: ({ outcome, changes, reason }) => {
        if (outcome === 'rejected') return <span className="negative">{reason}</span>;
        if (changes.length === 0) return <span className="dim">stays as it is</span>;
        return changes.map(({ field, from, to }) => `${wordsOf(field, from)} → ${wordsOf(field, to)}`).join(', ');
      },
    },
  ];
}
