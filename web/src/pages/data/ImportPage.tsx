import { IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { allPlansQuery, fieldMappingQuery } from '../../api/import-queries.js';
import { allPeopleQuery } from '../../api/person-list-queries.js';
import { dealFieldsQuery } from '../../api/plan-queries.js';
import { Button } from '../../components/Button.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { StepLine } from '../../components/StepLine.js';
import { dealImport, dealImportWith } from '../../features/imports/deals.js';
import { type ImportContext, type ImportKind, type ImportOutcome } from '../../features/imports/kind.js';
import { importKinds, isImportKey } from '../../features/imports/kinds.js';
import { peopleImport, peopleImportWith } from '../../features/imports/people.js';
import { rejectedRows } from '../../features/imports/results.js';
import { delimiterNames } from '../../features/imports/table.js';
import { personFieldsQuery } from '../../features/people/person-fields.js';
import { planFields } from '../../features/plans/fields.js';
import { formatCount } from '../../shared/format/numbers.js';
import { FileStep } from './FileStep.js';
import { type Import, useImport } from './use-import.js';

const route = getRouteApi('/_shell/imports/$kind');

const MatchStep = lazy(() => import('./MatchStep.js').then((module) => ({ default: module.MatchStep })));
const ImportDone = lazy(() => import('./ImportDone.js').then((module) => ({ default: module.ImportDone })));

/** Three steps: file, match and dry run, import. */
export function ImportPage() {
  const { kind: key } = route.useParams();
  const [personFields, dealFields] = [useQuery(personFieldsQuery), useQuery(dealFieldsQuery)];
  const kind = useMemo(() => {
    if (key === peopleImport.key) return peopleImportWith(personFields.data ?? []);
    if (key === dealImport.key) return dealImportWith(planFields(dealFields.data ?? []));
    return importKinds[isImportKey(key) ? key : 'deals'];
  }, [key, personFields.data, dealFields.data]);
  const [people, plans, mapping] = [useQuery(allPeopleQuery()), useQuery(allPlansQuery), useQuery(fieldMappingQuery)];
  const query = combineQueries({ people, plans, mapping, personFields, dealFields });
  if (query.data === undefined)
    return (
      <Page title={kind.title} crumbs={buildCrumbs(kind)} facts={[]}>
        <Loaded query={query} height={480}>
          {() => null}
        </Loaded>
      </Page>
    );
  const { data } = query;
  const context = { people: data.people, plans: data.plans, standard: data.mapping.standard };
  return <Wizard key={kind.key} kind={kind} context={context} />;
}

function buildCrumbs({ title }: ImportKind) {
  return [{ label: 'Imports', to: '/imports' }, { label: title }];
}

function Wizard({ kind, context }: { readonly kind: ImportKind; readonly context: ImportContext }) {
  const currentImport = useImport(kind, context);
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null);
  const hasFile = currentImport.state.text !== '';
  const step = outcome !== null ? 2 : hasFile ? 1 : 0;
  const restart = () => {
    setOutcome(null);
    currentImport.restart();
  };
  const finish = (imported: ImportOutcome) => {
    const onlyRows = rejectedRows(imported);
    setOutcome(imported);
    // What was imported is not offered again after a reload.
    if (onlyRows.length === 0) currentImport.restart();
    else currentImport.change({ onlyRows });
  };
  return (
    <Page
      title={kind.title}
      crumbs={buildCrumbs(kind)}
      facts={hasFile ? listFacts(currentImport) : [kind.intro]}
      actions={
        step === 1 ? (
          <Button icon={IconUpload} onClick={restart}>
            Other file
          </Button>
        ) : undefined
      }
    >
      <StepLine label="Steps of the import" steps={['File', 'Match and dry run', 'Import']} current={step} />
      {step === 0 ? <FileStep currentImport={currentImport} /> : null}
      <Suspense>
        {step === 1 ? <MatchStep currentImport={currentImport} onBack={restart} onDone={finish} /> : null}
      </Suspense>
      {outcome === null ? null : (
        <ImportDone
          currentImport={currentImport}
          outcome={outcome}
          onRestart={restart}
          onCorrect={() => setOutcome(null)}
        />
      )}
    </Page>
  );
}

function listFacts({ state: { name }, file, table }: Import) {
  return [
    name,
    `${formatCount(table.rows.length, 'row')}, ${formatCount(file.header.length, 'column')}`,
    `separated by ${delimiterNames[file.delimiter]}`,
  ];
}
