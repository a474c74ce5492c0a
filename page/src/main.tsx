import { render } from 'preact';
import { applyTheme, readTheme } from './core/theme.js';
import { App } from './app.js';

applyTheme(readTheme());
render(<App />, document.getElementById('page')!);
