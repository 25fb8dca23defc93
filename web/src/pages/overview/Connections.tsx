import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { productNames } from '#src/client.js';
import { integrationsQuery } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { buttonClass } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { ConnectionBadge, connectionWords } from '../settings/connection-state.js';
import styles from './Overview.module.css';

/** The CRMs with their state. Only a broken connection has a filled button. */
export function Connections() {
  const integrations = useQuery(integrationsQuery);
  return (
    <section>
      <div className={styles.head}>
        <h2>Connections</h2>
      </div>
      <Loaded query={integrations} height={182}>
        {({ integrations: all }) => (
          <ul className={blocks.rows}>
            {all.map((item) => (
              <li key={item.provider}>
                <span>
                  <span className="strong">{productNames[item.provider]}</span>
                  <span className="second">{connectionWords(item)}</span>
                </span>
                {item.broken ? (
                  <Link to="/connections" className={buttonClass({ kind: 'primary' })}>
                    Reconnect
                  </Link>
                ) : item.connected ? (
                  <ConnectionBadge {...item} />
                ) : (
                  <Link to="/connections">
                    Connect<span className="unseen"> {productNames[item.provider]}</span>
                  </Link>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
