import { IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedState } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, IconButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineInput, InlineLines, InlineSelect } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { type PersonField, personFieldsQuery, toSlug, typeNames } from '../../features/people/person-fields.js';
import { linesOf, toLines } from '../../shared/format/entered-lists.js';

/** A field while it is edited; options are one text, one on each line. */
interface EnteredField {
  readonly key: string;
  /** Empty until the field is saved: it follows the label. */
  readonly slug: string;
  readonly label: string;
  readonly type: PersonField['type'];
  readonly options: string;
  readonly crmField: string;
  readonly dated: 'yes' | 'no';
}

/** What a workspace keeps about people beside title, team and location. */
export function PersonFieldsPage() {
  return (
    <Page
      title="Fields of people"
      crumbs={[{ label: 'People', to: '/members' }, { label: 'Fields of people' }]}
      facts={['Kept by imports, the API and syncs; lists of people are filtered by them']}
    >
      <Loaded query={useQuery(personFieldsQuery)} height={320}>
        {(fields) => <Editor stored={fields} />}
      </Loaded>
    </Page>
  );
}

function Editor({ stored }: { readonly stored: readonly PersonField[] }) {
  const [edited, setEdited] = usePersistedState<readonly EnteredField[] | null>('person-fields', null);
  const entered = edited ?? stored.map(toEntered);
  const save = useAction({
    send: () => api.setPersonFields({ body: { fields: entered.map(toField) } }),
    onDone: () => {
      setEdited(null);
      showMessage('The fields of people were saved.');
    },
  });
  const change = (key: string, part: Partial<EnteredField>) =>
    setEdited(entered.map((field) => (field.key === key ? { ...field, ...part } : field)));
  const isComplete = entered.every(({ label, type, options }) => {
    return toSlug(label) !== '' && (type !== 'select' || linesOf(options).length > 0);
  });
  const add = (
    <Button
      icon={IconPlus}
      onClick={() =>
        setEdited([
          ...entered,
          { key: crypto.randomUUID(), slug: '', label: '', type: 'text', options: '', crmField: '', dated: 'no' },
        ])
      }
    >
      Add field
    </Button>
  );
  return (
    <>
      <Card title="Fields" action={add} isFlush={entered.length > 0}>
        {entered.length === 0 ? (
          <EmptyState title="No fields yet">Such as region, level, cost centre or the day of a promotion.</EmptyState>
        ) : (
          <DataTable
            caption="Fields of people"
            columns={buildColumns(change, (key) => setEdited(entered.filter((field) => field.key !== key)))}
            rows={entered}
            rowKey={({ key }) => key}
            rowHeight={45}
            isInset
          />
        )}
      </Card>
      <p className="dim">
        Field in the CRM: its name in the API, such as Division (Salesforce), hs_job_title (HubSpot) or job_title
        (Attio). Syncs fill in missing values.
      </p>
      <div className={blocks.saveLine}>
        <span className="dim">{describeChanges(edited, isComplete)}</span>
        <Button disabled={edited === null} onClick={() => setEdited(null)}>
          Discard
        </Button>
        <Button
          kind="primary"
          size="final"
          disabled={edited === null || !isComplete}
          isBusy={save.isBusy}
          onClick={() => save.send()}
        >
          Save fields
        </Button>
      </div>
    </>
  );
}

function describeChanges(edited: readonly EnteredField[] | null, isComplete: boolean): string {
  if (edited === null) return 'No changes.';
  return isComplete
    ? 'The changes are not saved yet.'
    : 'Each field needs a name, and a choice its options. Fill in or remove the row.';
}

function toEntered({ slug, label, type, options = [], crmField = '', dated }: PersonField): EnteredField {
  return { key: slug, slug, label, type, options: toLines(options), crmField, dated: dated === true ? 'yes' : 'no' };
}

function toField({ slug, label, type, options, crmField, dated }: EnteredField): PersonField {
  return {
    slug: slug || toSlug(label),
    label: label.trim(),
    type,
    ...(type === 'select' ? { options: linesOf(options) } : {}),
    ...(crmField.trim() === '' ? {} : { crmField: crmField.trim() }),
    ...(dated === 'yes' ? { dated: true as const } : {}),
  };
}

/** Values with days are for rate tables. */
function datedColumn(onChange: (key: string, part: Partial<EnteredField>) => void): Column<EnteredField> {
  return {
    key: 'dated',
    header: 'Values have days',
    width: '130px',
    phone: 'detail',
    cell: ({ key, label, dated }) => (
      <InlineSelect
        label={`Whether values of ${label} have days`}
        value={dated}
        choices={[
          ['no', 'no'],
          ['yes', 'yes, for rate tables'],
        ]}
        onChange={({ currentTarget }) => onChange(key, { dated: currentTarget.value as EnteredField['dated'] })}
      />
    ),
  };
}

function buildColumns(
  onChange: (key: string, part: Partial<EnteredField>) => void,
  onRemove: (key: string) => void,
): readonly Column<EnteredField>[] {
  return [
    {
      key: 'label',
      header: 'Name',
      phone: 'title',
      cell: ({ key, label }) => (
        <InlineInput
          label="Name of the field"
          value={label}
          onChange={({ currentTarget }) => onChange(key, { label: currentTarget.value })}
        />
      ),
    },
    {
      key: 'type',
      header: 'Type',
      width: '130px',
      phone: 'detail',
      cell: ({ key, label, type }) => (
        <InlineSelect
          label={`Type of ${label}`}
          value={type}
          choices={Object.entries(typeNames)}
          onChange={({ currentTarget }) => onChange(key, { type: currentTarget.value as PersonField['type'] })}
        />
      ),
    },
    {
      key: 'options',
      header: 'Choices, one on each line',
      phone: 'detail',
      cell: ({ key, label, type, options }) =>
        type === 'select' ? (
          <InlineLines
            label={`Choices of ${label}`}
            placeholder="One on each line"
            values={linesOf(options)}
            onValues={(values) => onChange(key, { options: toLines(values) })}
          />
        ) : (
          <span className="dim">–</span>
        ),
    },
    {
      key: 'crm',
      header: 'Field in the CRM',
      phone: 'detail',
      cell: ({ key, label, crmField }) => (
        <InlineInput
          label={`Field in the CRM of ${label}`}
          value={crmField}
          onChange={({ currentTarget }) => onChange(key, { crmField: currentTarget.value })}
        />
      ),
    },
    datedColumn(onChange),
    {
      key: 'slug',
      header: 'Name in requests',
      phone: 'note',
      cell: ({ slug, label }) => <span className="dim">{slug || toSlug(label) || '–'}</span>,
    },
    {
      key: 'remove',
      header: <span className="unseen">Remove</span>,
      align: 'right',
      cell: ({ key, label }) => <IconButton icon={IconX} label={`Remove ${label}`} onClick={() => onRemove(key)} />,
    },
  ];
}
