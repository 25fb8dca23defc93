import { IconArrowBackUp, IconFileImport, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useChange } from '../../api/change.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { earningPeople, idsOfRequest, type Person, peopleCountQuery } from '../../api/person-list-queries.js';
import { type Plan } from '../../api/queries.js';
import { type Assignment, assignmentsOfPeopleQuery } from '../../api/set-up-queries.js';
import { showMessage, showProblem } from '../../app/messages.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { Button, ButtonContent, buttonClass, LinkButton } from '../../components/Button.js';
import { Check } from '../../components/Field.js';
import grid from '../../components/GridEditor.module.css';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { Spacer } from '../../components/Spacer.js';
import { EmptyState } from '../../components/States.js';
import { useTogether } from '../../components/together.js';
import { toggled, withAll } from '../../components/toggled.js';
import { useVisibleRows } from '../../components/visible-rows.js';
import { ListedPeople, useFilterChoices, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { PeoplePager, usePersonPages } from '../../features/people/person-pages.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { AssignDialog, type AssignTarget, nameOf, toTarget, type Undo } from './AssignDialog.js';
import styles from './Data.module.css';
import { isKeepable, KeepFilterDialog, SuggestedAssignments } from './SuggestedAssignments.js';

const route = getRouteApi('/_shell/assignments');

/** Who is on which plan: people by plan, with the days of each. */
export function AssignmentsPage() {
  const plans = useQuery(allPlansQuery);
  const filter = personFilterOf(route.useSearch());
  const wanted = { ...earningPeople, ...usePeopleQuery(filter) };
  const list = usePersonPages(wanted, idsOfRequest);
  const { assign, plan: planId } = route.useSearch();
  const named = assign?.split(',') ?? [];
  const repIds = [...new Set([...(list.data?.reps ?? []).map(({ id }) => id), ...named])];
  const assignments = useQuery({ ...assignmentsOfPeopleQuery(repIds), enabled: list.data !== undefined });
  const onPlan = useQuery(peopleCountQuery({ ...earningPeople, assigned: 'true' })).data;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = usePersistedChoice<string>('assign');
  const [undo, setUndo] = useState<Undo | null>(null);
  const query = useTogether({ list, plans, assignments, filters: useFilterChoices() });
  const current = (plans.data ?? []).filter(({ planStatus }) => planStatus === 'active' || planStatus === 'draft');
  const navigate = useNavigate({ from: '/assignments' });
  const name = open ?? namedInAddress(assign, planId, current, query.data?.assignments ?? []);
  const target = name === null || query.data === undefined ? null : toTarget(name, current, query.data.assignments);
  const close = () => {
    setOpen(null);
    if (assign !== undefined) void navigate({ search: ({ assign: _, plan: __, ...filter }) => filter, replace: true });
  };
  return (
    <Page
      title="Assignments"
      crumbs={[{ label: 'Assignments' }]}
      facts={[
        onPlan === undefined ? null : `${formatNumber(onPlan)} assigned`,
        'Select a cell, or choose several people',
      ]}
      isWide
      actions={
        <>
          <UndoButton undo={undo} onDone={() => setUndo(null)} />
          <Link to="/imports/$kind" params={{ kind: 'assignments' }} className={buttonClass()}>
            <ButtonContent icon={IconFileImport}>Import</ButtonContent>
          </Link>
          <Button
            icon={IconUserPlus}
            kind="primary"
            disabled={chosen.size === 0 || current.length === 0}
            onClick={() => setOpen(nameOf({ repIds: [...chosen], plan: onlyOf(current), assignment: null }))}
          >
            {chosen.size === 0 ? 'Assign' : `Assign ${formatCount(chosen.size, 'person', 'people')}`}
          </Button>
        </>
      }
    >
      <SuggestedAssignments />
      <Loaded query={query} height={480}>
        {(data) => (
          <Matrix
            list={list}
            people={data.list.reps}
            plans={current}
            assignments={data.assignments}
            chosen={chosen}
            onChosen={setChosen}
            onOpen={(opened) => setOpen(nameOf(opened))}
          />
        )}
      </Loaded>
      {target === null ? null : (
        <AssignDialog
          target={target}
          plans={current}
          onClose={close}
          onDone={(takeBack) => {
            setUndo(() => takeBack);
            setChosen(new Set());
            close();
          }}
        />
      )}
    </Page>
  );
}

/** The plan of a workspace that has only one; of several, a person chooses. */
function onlyOf(plans: readonly Plan[]): Plan | null {
  const [only = null, ...others] = plans;
  return others.length === 0 ? only : null;
}

/** What the address opens: the last assignment of the person to the plan, or new ones of the people. */
function namedInAddress(
  repIds: string | undefined,
  planId: string | undefined,
  plans: readonly Plan[],
  assignments: readonly Assignment[],
): string | null {
  const plan = plans.find((known) => known.planId === planId) ?? onlyOf(plans);
  if (repIds === undefined || plans.length === 0) return null;
  const stored = assignments.filter((one) => one.repId === repIds && one.planId === planId).at(-1);
  return stored?.assignmentId ?? nameOf({ repIds: repIds.split(','), plan, assignment: null });
}

function UndoButton({ undo, onDone }: { readonly undo: Undo | null; readonly onDone: () => void }) {
  const change = useChange({
    send: async () => undo?.(),
    onDone: () => {
      showMessage('The last change was undone.');
      onDone();
    },
    onFailed: showProblem,
  });
  if (undo === null) return null;
  return (
    <Button icon={IconArrowBackUp} isBusy={change.isBusy} onClick={() => change.send()}>
      Undo
    </Button>
  );
}

/** Height in pixels of a row with one line. */
const rowHeight = 41;

interface MatrixProps {
  readonly list: ReturnType<typeof usePersonPages>;
  /** Those of the page. */
  readonly people: readonly Person[];
  readonly plans: readonly Plan[];
  readonly assignments: readonly Assignment[];
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
  readonly onOpen: (target: AssignTarget) => void;
}

function Matrix({ list, people: visible, plans, assignments, chosen, onChosen, onOpen }: MatrixProps) {
  const filter = personFilterOf(route.useSearch());
  const navigate = useNavigate({ from: '/assignments' });
  const [isKeeping, setKeeping] = useState(false);
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to } = useVisibleRows(body, visible.length, rowHeight);
  const byCell = Map.groupBy(assignments, ({ repId, planId }) => `${repId} ${planId}`);
  const hasNoPeople = visible.length === 0 && !isFiltered(filter) && !list.isPlaceholderData;
  if (hasNoPeople || plans.length === 0)
    return (
      <EmptyState title={plans.length === 0 ? 'No plan yet' : 'No people yet'}>
        People are paid by the plans that they are assigned to.
      </EmptyState>
    );
  const all = visible.length > 0 && visible.every(({ id }) => chosen.has(id));
  return (
    <>
      <ListedPeople
        filter={filter}
        visible={list.data?.count}
        onFilter={(next) => navigate({ search: next, replace: true })}
      >
        {isKeepable(filter) ? (
          <LinkButton onClick={() => setKeeping(true)}>Suggest who matches later …</LinkButton>
        ) : null}
      </ListedPeople>
      {isKeeping ? (
        <KeepFilterDialog
          filter={filter}
          plans={plans}
          count={list.data?.count ?? 0}
          onClose={() => setKeeping(false)}
        />
      ) : null}
      <section className={grid.grid} aria-label="Assignments">
        <table aria-rowcount={visible.length}>
          <caption className="unseen">People by plan</caption>
          <thead>
            <tr>
              <th scope="col">
                <Check
                  label="Everyone in the list"
                  checked={all}
                  isPartial={!all && chosen.size > 0}
                  onChange={() =>
                    onChosen(
                      withAll(
                        chosen,
                        visible.map(({ id }) => id),
                        !all,
                      ),
                    )
                  }
                />{' '}
                Person
              </th>
              {plans.map(({ planId, name, planStatus }) => (
                <th key={planId} scope="col">
                  {name}
                  {planStatus === 'draft' ? ' (draft)' : ''}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={(event) => moveFocus(event, body.current)}>
            <Spacer height={from * rowHeight} />
            {visible.slice(from, to).map((person) => (
              <tr key={person.id}>
                <th scope="row">
                  <Check
                    label={person.name}
                    checked={chosen.has(person.id)}
                    onChange={() => onChosen(toggled(chosen, person.id))}
                  />{' '}
                  {person.name}
                </th>
                {plans.map((plan) => (
                  <td key={plan.planId}>
                    <Cell
                      person={person}
                      plan={plan}
                      assignments={byCell.get(`${person.id} ${plan.planId}`) ?? []}
                      onOpen={onOpen}
                    />
                  </td>
                ))}
              </tr>
            ))}
            <Spacer height={(visible.length - to) * rowHeight} />
          </tbody>
        </table>
      </section>
      <PeoplePager list={list} />
    </>
  );
}

/** Arrows move between the cells. */
function moveFocus(event: React.KeyboardEvent, body: HTMLTableSectionElement | null): void {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const cell = (event.target as HTMLElement).closest('td');
  const row = cell?.parentElement as HTMLTableRowElement | undefined;
  if (step === undefined || cell === null || row === undefined || body === null) return;
  const [down = 0, right = 0] = step;
  const target = body.rows[row.sectionRowIndex + down]?.cells[cell.cellIndex + right];
  const button = target?.querySelector<HTMLElement>('button');
  if (button == null) return;
  event.preventDefault();
  button.focus();
}

interface CellProps {
  readonly person: Person;
  readonly plan: Plan;
  readonly assignments: readonly Assignment[];
  readonly onOpen: (target: AssignTarget) => void;
}

function Cell({ person, plan, assignments, onOpen }: CellProps) {
  if (assignments.length === 0)
    return (
      <button
        type="button"
        className={styles.on}
        aria-label={`Assign ${person.name} to ${plan.name}`}
        onClick={() => onOpen({ repIds: [person.id], plan, assignment: null })}
      >
        –
      </button>
    );
  return assignments.map((assignment) => (
    <button
      key={assignment.assignmentId}
      type="button"
      className={styles.on}
      aria-label={`${person.name} on ${plan.name}, ${daysOf(assignment)}`}
      onClick={() => onOpen({ repIds: [person.id], plan, assignment })}
    >
      <span className={styles.bar} aria-hidden="true" />
      {daysOf(assignment)}
    </button>
  ));
}

function daysOf({ effectiveStart, effectiveEnd }: Assignment): string {
  if (effectiveStart === null && effectiveEnd === null) return 'always';
  const from = effectiveStart === null ? [] : [`from ${formatDay(effectiveStart, 'year')}`];
  const to = effectiveEnd === null ? [] : [`to ${formatDay(effectiveEnd, 'year')}`];
  return [...from, ...to].join(' ');
}
