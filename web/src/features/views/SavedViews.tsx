import { IconBookmark, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { parseSearch, stringifySearch } from '../../app/search.js';
import { IconButton, LinkButton } from '../../components/Button.js';
import { InlineInput } from '../../components/Inline.js';
import styles from './SavedViews.module.css';
import { type SavedView, savedViewsQuery } from './saved-views-query.js';

/** The search part of an address without its period: a view is used again in other months. */
function viewOf(searchStr: string): string {
  const { period: _, ...rest } = parseSearch(searchStr);
  return stringifySearch(rest);
}

/** The saved views of the page, each a press away, and the way to save the filters that are set. */
export function SavedViews() {
  const router = useRouter();
  const { pathname, searchStr } = useLocation();
  const search = viewOf(searchStr);
  const { period } = parseSearch(searchStr);
  const { data: all } = useQuery(savedViewsQuery);
  const [name, setName] = useState<string | null>(null);
  const save = useAction({
    send: (views: readonly SavedView[]) => api.setSavedViews({ body: { views: [...views] } }),
    onDone: () => setName(null),
  });
  if (all === undefined) return null;
  const views = all.filter(({ page }) => page === pathname);
  const isSaved = views.some((view) => view.search === search);
  if (views.length === 0 && search === '') return null;
  const add = (entered: string) => {
    const others = all.filter((view) => view.page !== pathname || view.name !== entered);
    save.send([...others, { page: pathname, name: entered, search }]);
  };
  return (
    <nav className={styles.views} aria-label="Saved views">
      {views.map((view) => (
        <span key={view.name} className={styles.view}>
          <LinkButton
            className={view.search === search ? styles.current : ''}
            aria-current={view.search === search ? 'page' : undefined}
            onClick={() =>
              router.history.push(`${view.page}${stringifySearch({ period, ...parseSearch(view.search) })}`)
            }
          >
            {view.name}
          </LinkButton>
          <IconButton
            icon={IconX}
            label={`Remove the view ${view.name}`}
            onClick={() => save.send(all.filter((other) => other !== view))}
          />
        </span>
      ))}
      {isSaved || search === '' ? null : name === null ? (
        <LinkButton onClick={() => setName('')}>Save this view</LinkButton>
      ) : (
        <form
          className={styles.view}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') add(name.trim());
          }}
        >
          <InlineInput
            label="Name of the view"
            value={name}
            autoFocus
            maxLength={60}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <IconButton icon={IconBookmark} label="Save the view" type="submit" disabled={name.trim() === ''} />
        </form>
      )}
    </nav>
  );
}
