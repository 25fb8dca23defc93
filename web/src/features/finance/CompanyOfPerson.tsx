import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Accounting, accountingQuery, companiesOfPersonQuery } from '../../api/finance-queries.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedDialog, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { DatedFields, type EnteredFrom } from './DatedFields.js';

interface CompanyOfPersonProps {
  readonly person: { readonly id: string; readonly name: string };
}

/** To which company a person belongs in the books; nothing in workspaces without accounting or with one company. */
export function CompanyOfPerson({ person }: CompanyOfPersonProps) {
  const hasBooks = useQuery(workspaceQuery).data?.accounting !== undefined;
  const accounting = useQuery({ ...accountingQuery, enabled: hasBooks });
  const belongs = useQuery({ ...companiesOfPersonQuery(person.id), enabled: hasBooks });
  if (!hasBooks) return null;
  return (
    <Loaded query={combineQueries({ accounting, belongs })} height={104}>
      {({ accounting: { entities }, belongs: stored }) =>
        entities.length === 1 && stored.length === 0 ? null : (
          <CompanyCard person={person} companies={entities} stored={stored} />
        )
      }
    </Loaded>
  );
}

interface CompanyProps extends CompanyOfPersonProps {
  readonly companies: Accounting['entities'];
  readonly stored: readonly { readonly from?: string | undefined; readonly entity: string }[];
}

function CompanyCard({ person, companies, stored }: CompanyProps) {
  const [isOpen, setOpen] = usePersistedDialog(`companies ${person.id}`);
  const names = new Map(companies.map(({ code, name }) => [code, name]));
  return (
    <Card title="Company" action={<Button onClick={() => setOpen(true)}>Change the company</Button>}>
      {stored.length === 0 ? <p className="dim">{names.get('main')}, as long as no other company is entered.</p> : null}
      <ul className={blocks.rows} aria-label="Companies by day">
        {stored.map(({ from, entity }) => (
          <li key={from ?? ''}>
            <b className="strong">{names.get(entity) ?? entity}</b>
            <span className="dim">
              {from === undefined ? 'from the beginning' : `from ${formatDay(from, 'year')} on`}
            </span>
          </li>
        ))}
      </ul>
      {isOpen ? (
        <CompanyDialog person={person} companies={companies} stored={stored} onClose={() => setOpen(false)} />
      ) : null}
    </Card>
  );
}

interface EnteredCompany extends EnteredFrom {
  readonly entity: string;
}

function CompanyDialog({ person, companies, stored, onClose }: CompanyProps & { readonly onClose: () => void }) {
  const form = usePersistedForm(`companies ${person.id}`, {
    entities: stored.map(({ from = '', entity }) => ({ from, entity })) as readonly EnteredCompany[],
  });
  const { entities } = form.values;
  const save = useChange({
    send: () =>
      api.setRepEntities({
        params: { repId: person.id },
        body: { entities: entities.map(({ from, entity }) => (from === '' ? { entity } : { from, entity })) },
      }),
    onDone: () => {
      showMessage(`The company of ${person.name} was saved.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`To which company ${person.name} belongs`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ children: 'Save' }}
    >
      <p>
        On other days it is {companies.find(({ code }) => code === 'main')?.name}. What closed months posted in another
        company moves in the first open month.
      </p>
      <DatedFields
        name="Company"
        rows={entities}
        blank={{ from: '', entity: companies[0]?.code ?? '' }}
        fromHint="Empty: from the beginning."
        onChange={(rows) => form.change({ entities: rows })}
      >
        {({ entity }, change) => (
          <Choice
            label="Company"
            choices={companies.map(({ code, name }) => [code, name])}
            value={entity}
            onChange={({ currentTarget }) => change({ entity: currentTarget.value })}
          />
        )}
      </DatedFields>
    </Dialog>
  );
}
