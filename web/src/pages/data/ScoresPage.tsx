import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Change, useChange } from '../../api/change.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { type Person } from '../../api/person-list-queries.js';
import { saveScores, scoreEffectQuery, scoresOfPeopleQuery } from '../../api/score-queries.js';
import { showMessage, showProblem } from '../../app/messages.js';
import { usePersistedState } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { buttonClass } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { GridEditor } from '../../components/GridEditor.js';
import { cellKey, type Edits } from '../../components/grid-keys.js';
import { InlineSelect } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { useTogether } from '../../components/together.js';
import { readPeriod } from '../../features/imports/dates.js';
import { ListedPeople } from '../../features/people/ListedPeople.js';
import { usePeopleOfPlan } from '../../features/people/people-of-plan.js';
import { PeoplePager } from '../../features/people/person-pages.js';
import { GridRowsNote, GridSaveLine } from '../../features/plans/GridSaveLine.js';
import { headingOf, listedEdits, maxGridRows, noEdits, periodsFor, without } from '../../features/plans/period-grid.js';
import { withStep } from '../../features/plans/quota-changes.js';
import {
  invertScores,
  listScoreChanges,
  listScoreRules,
  type ScoreChange,
  type ScoreRule,
} from '../../features/plans/score-changes.js';
import { UnknownYear } from '../../features/plans/UnknownYear.js';
import { fieldWords } from '../../features/plans/words.js';
import { todayIn } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { listFiscalYears } from '../../shared/format/periods.js';

const route = getRouteApi('/_shell/scores');

/** The scores of a year that a rule reads: people by period, to type into or to paste. */
export function ScoresPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/scores' });
  const { year = todayIn(workspace.timezone).slice(0, 4), rule } = route.useSearch();
  const plans = useQuery(allPlansQuery);
  return (
    <Page
      title="Scores"
      crumbs={[{ label: 'Scores' }]}
      facts={['What people reached in a period, such as points for objectives']}
      isWide
      actions={
        <PeriodPicker
          period={year}
          lengths={[12]}
          onChange={(period) => navigate({ search: (present) => ({ ...present, year: period }) })}
        />
      }
    >
      <Loaded query={plans} height={480}>
        {(all) => {
          const choices = listScoreRules(all);
          const chosen = choices.find(({ label }) => label === rule) ?? choices[0];
          if (chosen === undefined) return <NoRule />;
          return (
            <>
              <div className={blocks.filters}>
                <InlineSelect
                  label="Rule"
                  value={chosen.label}
                  choices={choices.map(({ label }) => [label, label] as const)}
                  onChange={({ currentTarget }) =>
                    navigate({ search: (present) => ({ ...present, year, rule: currentTarget.value }) })
                  }
                />
                <span className="dim">reads the field {fieldWords(chosen.rule.measure)}</span>
              </div>
              {chosen.rule.calendar === 'fiscal' && !listFiscalYears().includes(Number(year)) ? (
                <UnknownYear year={year} />
              ) : (
                <ScoreGrid key={`${chosen.rule.id} ${year}`} of={chosen} year={year} />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function NoRule() {
  return (
    <EmptyState
      title="No plan reads a score"
      actions={
        <Link to="/plans/new/edit" search={{ template: 'mbo-bonus' }} className={buttonClass()}>
          New plan with objectives
        </Link>
      }
    >
      A rule reads scores if it measures a separate field, such as mbo_points.
    </EmptyState>
  );
}

interface ScoreGridProps {
  readonly of: ScoreRule;
  readonly year: string;
}

function ScoreGrid({ of: { plan, rule }, year }: ScoreGridProps) {
  const { year: _, rule: __, ...filter } = route.useSearch();
  const navigate = useNavigate({ from: '/scores' });
  const { list, counted } = usePeopleOfPlan({ planId: plan.planId, filter, pageSize: maxGridRows });
  const repIds = (list.data?.reps ?? []).map(({ id }) => id);
  const together = useTogether({ list, scores: useQuery(scoresOfPeopleQuery(rule.measure, repIds)) });
  return (
    <Loaded query={counted} height={520}>
      {({ count }) => (
        <>
          <ListedPeople
            filter={filter}
            count={count}
            visible={list.data?.count}
            onFilter={(next) =>
              navigate({ search: (present) => ({ year: present.year, rule: present.rule, ...next }), replace: true })
            }
          />
          <Loaded query={together} height={480}>
            {(data) => (
              <Scores
                of={{ field: rule.measure, periods: periodsFor(rule, year), key: `${rule.id}:${year}` }}
                people={data.list.reps}
                stored={new Map(data.scores.map(({ repId, period, score }) => [cellKey(repId, period), score]))}
              />
            )}
          </Loaded>
          <PeoplePager list={list} />
        </>
      )}
    </Loaded>
  );
}

interface ScoresProps {
  readonly of: { readonly field: string; readonly periods: readonly string[]; readonly key: string };
  readonly people: readonly Person[];
  readonly stored: ReadonlyMap<string, number>;
}

/** The scores to type into, and what saves them. */
function Scores({ of: { field, periods, key }, people, stored }: ScoresProps) {
  const [history, setHistory] = usePersistedState<readonly Edits[]>(`score-edits:${key}`, noEdits);
  const edits = history.at(-1) ?? {};
  const undo = () => setHistory((before) => before.slice(0, -1));
  return (
    <>
      <GridEditor
        caption={`Scores in ${fieldWords(field)}`}
        rows={people.map(({ id, name, email }) => [id, name, email] as const)}
        columns={periods.map((period) => [period, headingOf(period)] as const)}
        storedOf={(row, column) => stored.get(cellKey(row, column))}
        columnOf={readPeriod}
        edits={edits}
        onEdit={(next) => setHistory((before) => withStep(before, next))}
        onUndo={undo}
      />
      <GridRowsNote people={people} />
      <SaveLine
        field={field}
        people={people}
        edits={edits}
        stored={stored}
        onUndo={undo}
        onSaved={(sent) => setHistory((before) => without(before.at(-1) ?? {}, sent))}
      />
    </>
  );
}

interface SaveLineProps {
  readonly field: string;
  readonly people: readonly Person[];
  readonly edits: Edits;
  readonly stored: ReadonlyMap<string, number>;
  readonly onUndo: () => void;
  readonly onSaved: (sent: Edits) => void;
}

function SaveLine({ field, people, edits, stored, onUndo, onSaved }: SaveLineProps) {
  const listed = listedEdits(edits, people);
  const { changes, wrong } = listScoreChanges(listed, stored);
  const count = changes.length;
  const [pending, setPending] = useState<readonly ScoreChange[] | null>(null);
  // What was stored before the last save, so that the save can be undone.
  const [before, setBefore] = useState<readonly ScoreChange[] | null>(null);
  const save = useChange({
    send: async () => {
      const sent = pending ?? [];
      await saveScores(field, [...sent]);
      return { typed: listed, saved: sent.length, taken: invertScores(sent, stored) };
    },
    onDone: ({ typed, saved, taken }) => {
      setPending(null);
      setBefore(taken);
      onSaved(typed);
      showMessage(`${formatCount(saved, 'score')} saved.`);
    },
  });
  const takeBack = useChange({
    send: async () => {
      if (before !== null) await saveScores(field, [...before]);
    },
    onDone: () => {
      setBefore(null);
      showMessage('The last save was undone.');
    },
    onFailed: showProblem,
  });
  return (
    <GridSaveLine
      people={people}
      edits={edits}
      wrong={wrong}
      count={count}
      noun="score"
      hint="An empty cell has no score."
      takeBack={before === null ? null : takeBack}
      onUndo={onUndo}
      onSave={() => setPending(changes)}
    >
      {pending === null ? null : (
        <SaveDialog field={field} changes={pending} save={save} onClose={() => setPending(null)} />
      )}
    </GridSaveLine>
  );
}

interface SaveDialogProps {
  readonly field: string;
  readonly changes: readonly ScoreChange[];
  readonly save: Change;
  readonly onClose: () => void;
}

/** What the scores move, before they are stored. */
function SaveDialog({ field, changes, save, onClose }: SaveDialogProps) {
  const effect = useQuery(scoreEffectQuery(field, [...changes]));
  return (
    <Dialog
      title={`Save ${formatCount(changes.length, 'score')}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      action={{ children: 'Save' }}
    >
      <EffectOfChange query={effect} what="change" />
      <p className="dim">
        Each score is a deal of the person at the end of the period. Approved statements do not change.
      </p>
    </Dialog>
  );
}
