import { IconInfoCircle } from '@tabler/icons-react';
import { useAction } from '../../../api/change.js';
import { type RateTableSummary, sendRateTable } from '../../../api/rate-table-queries.js';
import { Button } from '../../../components/Button.js';
import { Note } from '../../../components/Note.js';
import { type PlanTemplate } from '../../../features/plans/draft.js';

type TemplateTable = NonNullable<PlanTemplate['tables']>[number];

/** The rate tables of a template that the workspace lacks. Stored ones of the same names stay as they are. */
export function lackingTables(
  { tables = [] }: Pick<PlanTemplate, 'tables'>,
  stored: readonly RateTableSummary[],
): readonly TemplateTable[] {
  const names = new Set(stored.map(({ name }) => name.toLowerCase()));
  return tables.filter(({ name }) => !names.has(name.toLowerCase()));
}

/** What comes before a plan whose rates are in tables that do not exist. */
export function TemplateTables({ tables }: { readonly tables: readonly TemplateTable[] }) {
  const create = useAction({
    send: async () => {
      for (const { name, ...table } of tables) await sendRateTable(name, { ...table, revision: 0 });
    },
  });
  return (
    <Note
      tone="info"
      icon={IconInfoCircle}
      title={`The rates of this plan are in the table ${tables.map(({ name }) => name).join(' and ')}, which does not exist yet`}
      actions={
        <Button disabled={create.isBusy} onClick={() => create.send()}>
          Create the table
        </Button>
      }
    >
      You can change its rows afterwards in Rate tables.
    </Note>
  );
}
