import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { allPlansQuery } from '../api/import-queries.js';
import { peopleQuery } from '../api/person-list-queries.js';
import { dealsQuery } from '../api/queries.js';
import { useReturnFocus } from '../components/return-focus.js';
import { formatDay } from '../shared/format/dates.js';
import styles from './CommandMenu.module.css';
import { findPages } from './navigation.js';
import { useSession } from './session.js';

interface Command {
  readonly id: string;
  readonly group: 'Pages' | 'Deals' | 'People' | 'Plans';
  readonly label: string;
  readonly detail?: string;
  readonly to: string;
}

const maxOfGroup = 6;

/** Finds pages, deals, people and plans by their name or id. */
export function CommandMenu({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const { commands, isLoading } = useCommands(text);
  const listId = useId();
  useReturnFocus();
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    void navigate({ to: command.to });
  };
  const press = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(commands[chosen]);
    if (step === undefined) return;
    event.preventDefault();
    setChosen((chosen + step + commands.length) % Math.max(1, commands.length));
  };
  return (
    <Modal.Root opened onClose={onClose} size={560} yOffset={96} padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Go to">
        <Modal.Body>
          <input
            className={styles.input}
            // biome-ignore lint/a11y/noAutofocus: the menu was opened to type into it
            autoFocus
            data-autofocus
            role="combobox"
            aria-label="Go to a person, deal, plan or page"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={commands[chosen] === undefined ? undefined : `${listId}-${chosen}`}
            placeholder="Go to person, deal, plan or page"
            value={text}
            onKeyDown={press}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setChosen(0);
            }}
          />
          <div id={listId} role="listbox" aria-label="Results" className={styles.list}>
            {commands.map((command, index) => (
              <Option
                key={command.id}
                id={`${listId}-${index}`}
                command={command}
                isFirstOfGroup={commands[index - 1]?.group !== command.group}
                isChosen={index === chosen}
                onRun={() => run(command)}
              />
            ))}
          </div>
          {commands.length > 0 || isLoading ? null : <p className={styles.none}>No results.</p>}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

interface OptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isFirstOfGroup: boolean;
  readonly isChosen: boolean;
  readonly onRun: () => void;
}

function Option({ id, command, isFirstOfGroup, isChosen, onRun }: OptionProps) {
  return (
    <>
      {isFirstOfGroup ? (
        <p className={styles.group} role="presentation">
          {command.group}
        </p>
      ) : null}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys of the list */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen option */}
      <div id={id} role="option" aria-selected={isChosen} className={styles.option} onClick={onRun}>
        <span>{command.label}</span>
        <span className="dim">{command.detail}</span>
      </div>
    </>
  );
}

interface Commands {
  readonly commands: readonly Command[];
  /** Whether more may be found. */
  readonly isLoading: boolean;
}

function useCommands(text: string): Commands {
  const { role } = useSession();
  const typed = text.trim();
  const [searched] = useDebouncedValue(typed, 200);
  const hasText = searched !== '';
  const deals = useQuery({ ...dealsQuery({ query: searched, limit: String(maxOfGroup) }), enabled: hasText });
  const plans = useQuery({ ...allPlansQuery, enabled: hasText });
  const people = useQuery({ ...peopleQuery({ query: searched }, 0, maxOfGroup), enabled: hasText && role !== 'rep' });
  const matches = (name: string) => name.toLowerCase().includes(typed.toLowerCase());
  const found: readonly Command[] = [
    ...(deals.data?.deals ?? []).map(
      ({ deal_id, name, closeDate }): Command => ({
        id: `deal ${deal_id}`,
        group: 'Deals',
        label: name ?? deal_id,
        detail: `${deal_id}${closeDate === null ? '' : `, ${formatDay(closeDate)}`}`,
        to: `/deals/${encodeURIComponent(deal_id)}`,
      }),
    ),
    ...(people.data?.reps ?? [])
      .filter(({ name, email }) => matches(`${name} ${email}`))
      .map(({ id, name, email }): Command => {
        return { id: `rep ${id}`, group: 'People', label: name, detail: email, to: `/statements/${id}` };
      }),
    ...(plans.data ?? [])
      .filter(({ name, planStatus }) => planStatus === 'active' && matches(name))
      .slice(0, maxOfGroup)
      .map(
        ({ planId, name, version }): Command => ({
          id: `plan ${planId}`,
          group: 'Plans',
          label: name,
          detail: `version ${version}`,
          to: role === 'admin' ? `/plans/${planId}` : '/me/plan',
        }),
      ),
  ];
  const pages = findPages(role, typed).map(({ label, to }): Command => ({ id: to, group: 'Pages', label, to }));
  return {
    commands: hasText ? [...pages, ...found] : pages,
    isLoading: searched !== typed || [deals, plans, people].some(({ isLoading }) => isLoading),
  };
}
