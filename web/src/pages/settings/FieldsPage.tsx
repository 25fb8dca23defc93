import { IconWand, IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { fieldMappingQuery } from '../../api/import-queries.js';
import { fieldsQuery } from '../../api/plan-queries.js';
import { type Deal, dealsQuery } from '../../api/queries.js';
import { usePersistedState } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, IconButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { InlineInput, InlineSelect } from '../../components/Inline.js';
import { JobProgress } from '../../components/JobProgress.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { type Field } from '../../features/plans/fields.js';
import { fieldWords, valueWords } from '../../features/plans/words.js';
import styles from './Settings.module.css';

const route = getRouteApi('/_shell/fields');

type Standard = keyof Answer<'getFieldMapping'>['standard'];

const labels: Readonly<Record<Standard, string>> = {
  dealAmount: 'Amount',
  dealStage: 'Stage',
  closeDate: 'Close date',
  dealName: 'Deal name',
  ownerId: 'Owner',
  currency: 'Currency',
  createdDate: 'Created date',
};
const standardFields = Object.keys(labels) as Standard[];

interface Mapping {
  readonly standard: Partial<Record<Standard, string>>;
  readonly measures: Readonly<Record<string, string>>;
  readonly refunds?: Answer<'getFieldMapping'>['refunds'];
}

/** Which field of the deals holds which value, with the values of real deals. */
export function FieldsPage() {
  const mapping = useQuery(fieldMappingQuery);
  const latest = useQuery(dealsQuery({ limit: '5' }));
  return (
    <Page
      title="Field mapping"
      crumbs={[{ label: 'Connections', to: '/connections' }, { label: 'Field mapping' }]}
      facts={['A change reads every stored deal again and calculates everyone']}
    >
      <Loaded query={combineQueries({ mapping, latest })} height={480}>
        {(loaded) => <Mapper stored={loaded.mapping} deals={loaded.latest.deals} />}
      </Loaded>
    </Page>
  );
}

function Mapper({ stored, deals }: { readonly stored: Mapping; readonly deals: readonly Deal[] }) {
  const { data: known = [] } = useQuery(fieldsQuery);
  const [edited, setEdited] = usePersistedState<Mapping | null>('field-mapping', null);
  const [jobId, setJobId] = useState<string | null>(null);
  const current = edited ?? stored;
  const suggest = useMutation({
    mutationFn: () => api.autoMatchFields(),
    onSuccess: (found) => setEdited({ ...current, ...found }),
  });
  const save = useAction({
    send: () => api.saveFieldMapping({ body: { ...current, measures: { ...current.measures } } }),
    onDone: (saved) => {
      setJobId(saved.jobId);
      setEdited(null);
    },
  });
  const slugs = listSlugs(known, deals);
  return (
    <>
      <Card
        title="Standard values"
        action={
          <Button icon={IconWand} isBusy={suggest.isPending} onClick={() => suggest.mutate()}>
            Suggest
          </Button>
        }
        isFlush
      >
        <DataTable
          caption="Standard values and their fields"
          columns={buildColumns(current, slugs, deals, (standard) => setEdited({ ...current, standard }))}
          rows={standardFields}
          rowKey={(name) => name}
          rowHeight={45}
          isInset
        />
      </Card>
      <Measures
        measures={current.measures}
        slugs={slugs}
        onChange={(measures) => setEdited({ ...current, measures })}
      />
      <Refunds refunds={current.refunds} slugs={slugs} onChange={(refunds) => setEdited({ ...current, refunds })} />
      {jobId === null ? null : <JobProgress jobId={jobId} />}
      <div className={blocks.saveLine}>
        <span className="dim">{edited === null ? 'No changes.' : 'The changes are not saved yet.'}</span>
        <Button disabled={edited === null} onClick={() => setEdited(null)}>
          Discard
        </Button>
        <Button kind="primary" size="final" disabled={edited === null} isBusy={save.isBusy} onClick={() => save.send()}>
          Save mapping
        </Button>
      </div>
    </>
  );
}

/** Every field that deals or the CRM have, without the standard names. */
function listSlugs(known: readonly Field[], deals: readonly Deal[]): readonly (readonly [string, string])[] {
  const standard = new Set<string>(standardFields);
  const labelled = new Map(known.filter(({ slug }) => !standard.has(slug)).map(({ slug, label }) => [slug, label]));
  for (const { fields } of deals)
    for (const slug of Object.keys(fields)) if (!labelled.has(slug)) labelled.set(slug, fieldWords(slug));
  return [...labelled].map(([slug, label]) => [slug, label === slug ? slug : `${label} (${slug})`] as const);
}

function buildColumns(
  { standard }: Mapping,
  slugs: readonly (readonly [string, string])[],
  deals: readonly Deal[],
  onChange: (standard: Mapping['standard']) => void,
): readonly Column<Standard>[] {
  return [
    {
      key: 'value',
      header: 'Value',
      phone: 'title',
      cell: (name) => <span className={styles.named}>{labels[name]}</span>,
    },
    {
      key: 'field',
      header: 'Field',
      width: '280px',
      phone: 'note',
      cell: (name) => (
        <InlineSelect
          label={`Field of ${labels[name]}`}
          value={standard[name] ?? ''}
          choices={[['', 'As sent or synced'], ...withCurrent(slugs, standard[name])]}
          onChange={({ currentTarget: { value } }) => {
            const { [name]: _, ...rest } = standard;
            onChange(value === '' ? rest : { ...rest, [name]: value });
          }}
        />
      ),
    },
    {
      key: 'values',
      header: 'Values of deals',
      phone: 'detail',
      cell: (name) => <span className={`dim ${styles.samples}`}>{describeSamples(deals, name, standard[name])}</span>,
    },
  ];
}

function withCurrent(slugs: readonly (readonly [string, string])[], current: string | undefined) {
  return current === undefined || slugs.some(([slug]) => slug === current)
    ? slugs
    : [[current, current] as const, ...slugs];
}

/** The value of a deal that no field is chosen for. */
const usualValues: Readonly<Record<Standard, (deal: Deal) => unknown>> = {
  dealAmount: ({ amount }) => amount,
  dealStage: ({ stage }) => stage,
  closeDate: ({ closeDate }) => closeDate,
  dealName: ({ name }) => name,
  ownerId: ({ repName }) => repName,
  currency: ({ currency }) => currency,
  createdDate: ({ fields }) => fields['createdDate'],
};

function describeSamples(deals: readonly Deal[], name: Standard, slug: string | undefined): string {
  const read = slug === undefined ? usualValues[name] : ({ fields }: Deal) => fields[slug];
  const values = new Set(deals.flatMap((deal) => (read(deal) == null ? [] : [valueWords(read(deal) as never)])));
  return [...values].slice(0, 3).join(', ');
}

interface RefundsProps {
  readonly refunds: Mapping['refunds'];
  readonly slugs: readonly (readonly [string, string])[];
  readonly onChange: (refunds: Mapping['refunds']) => void;
}

/** The fields in which the CRM states that a customer has cancelled. */
function Refunds({ refunds, slugs, onChange }: RefundsProps) {
  const choices = (words: string, current: string | undefined) =>
    [['', words], ...withCurrent(slugs, current)] as const;
  return (
    <Card title="Refunds of synced deals" note="commission is taken back as the plan says">
      <div className={styles.measures}>
        <div className={styles.measure}>
          <span>Cancelled on</span>
          <InlineSelect
            label="Field of Cancelled on"
            value={refunds?.cancelledOn ?? ''}
            choices={choices('No field', refunds?.cancelledOn)}
            onChange={({ currentTarget: { value } }) =>
              onChange(value === '' ? undefined : { ...refunds, cancelledOn: value })
            }
          />
        </div>
        {refunds === undefined ? null : (
          <div className={styles.measure}>
            <span>Refunded amount</span>
            <InlineSelect
              label="Field of Refunded amount"
              value={refunds.refundAmount ?? ''}
              choices={choices('The whole deal', refunds.refundAmount)}
              onChange={({ currentTarget: { value } }) =>
                onChange({ cancelledOn: refunds.cancelledOn, ...(value === '' ? {} : { refundAmount: value }) })
              }
            />
          </div>
        )}
      </div>
    </Card>
  );
}

interface MeasuresProps {
  readonly measures: Mapping['measures'];
  readonly slugs: readonly (readonly [string, string])[];
  readonly onChange: (measures: Mapping['measures']) => void;
}

/** Further names that plans use. */
function Measures({ measures, slugs, onChange }: MeasuresProps) {
  const { name: missing = '' } = route.useSearch();
  const [name, setName] = usePersistedState('field-mapping-name', Object.hasOwn(measures, missing) ? '' : missing);
  const isTaken = Object.hasOwn(measures, name.trim());
  return (
    <Card title="Other names in plans" note="for fields with technical names">
      <div className={styles.measures}>
        {Object.entries(measures).map(([measure, slug]) => (
          <div key={measure} className={styles.measure}>
            <span>{measure}</span>
            <InlineSelect
              label={`Field of ${measure}`}
              value={slug}
              choices={withCurrent(slugs, slug)}
              onChange={({ currentTarget }) => onChange({ ...measures, [measure]: currentTarget.value })}
            />
            <IconButton
              icon={IconX}
              label={`Remove ${measure}`}
              onClick={() => onChange(Object.fromEntries(Object.entries(measures).filter(([key]) => key !== measure)))}
            />
          </div>
        ))}
        <form
          className={styles.measure}
          onSubmit={(event) => {
            event.preventDefault();
            onChange({ ...measures, [name.trim()]: slugs[0]?.[0] ?? name.trim() });
            setName('');
          }}
        >
          <InlineInput
            label="New name"
            placeholder="New name, such as arr"
            value={name}
            autoFocus={missing !== ''}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" className={styles.add} disabled={name.trim() === '' || isTaken}>
            Add name
          </Button>
        </form>
      </div>
    </Card>
  );
}
