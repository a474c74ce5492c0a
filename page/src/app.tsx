import { useEffect, useMemo, useState } from 'preact/hooks';
import { apiVersion, type Session } from '../../lib/dashboard/api.js';
import { failureOf, type ApiFailure } from './core/api-failure.js';
import { Api } from './core/api.js';
import { Live } from './core/live.js';
import { Notices } from './core/notices.js';
import { Places } from './core/places.js';
import { Ticker } from './core/ticker.js';
import { PageContext, type PageParts } from './core/page-parts.js';
import { Failed, Loading } from './parts/states.js';
import { Shell } from './shell.js';

const retryMs = 5_000;

/** Asks who looks, then shows the page. */
export function App() {
  const { api, live } = useMemo(makeParts, []);
  const [parts, setParts] = useState<PageParts>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [tries, tryAgain] = useState(0);
  const again = () => tryAgain((tries) => tries + 1);

  useEffect(() => {
    let timer: number | undefined;
    const begin = (session: Session) => {
      api.useToken(session.token);
      setFailure(undefined);
      setParts({
        api,
        live,
        session,
        notices: new Notices(),
        places: new Places(),
        ticker: new Ticker(),
        aheadMs: session.answeredAt - Date.now(),
      });
    };
    api.get<Session>('session').then(begin, (error) => {
      const failure = failureOf(error);
      setFailure(failure);
      if (failure.isPassing) timer = setTimeout(again, retryMs);
    });
    return () => clearTimeout(timer);
  }, [api, live, tries]);

  useEffect(() => {
    if (!parts) return;
    live.start();
    return () => live.stop();
  }, [live, parts !== undefined]);

  if (parts && parts.session.apiVersion !== apiVersion) return <Outdated />;
  if (parts)
    return (
      <PageContext.Provider value={parts}>
        <Shell />
      </PageContext.Provider>
    );
  return (
    <main class="alone">
      {failure ? <Failed failure={failure} reload={again} /> : <Loading what="the page" />}
    </main>
  );
}

function makeParts(): { api: Api; live: Live } {
  const api: Api = new Api((failure) => live.learn(failure));
  const live = new Live(api.address('stream'));
  return { api, live };
}

function Outdated() {
  return (
    <main class="alone">
      <div class="empty">
        <p class="empty-title">The application has been updated.</p>
        <button type="button" class="button is-main" onClick={() => location.reload()}>
          Load its page anew
        </button>
      </div>
    </main>
  );
}
