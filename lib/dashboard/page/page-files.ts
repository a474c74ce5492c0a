// Made from page/ by `npm run page`; edit that.
export const builtFrom = 'udt92NhG_ZOrobL-3axDIf';
export const pageFiles = {
  'assets/index-BLc7whVd.js': {
    type: 'text/javascript; charset=utf-8',
    hash: '-DCF9VZ3gikqYxxXsVpu9C',
    gzip: 'H4sIAAAAAAACA3WRQYvbQAyF/4pLLyMwCr3GeC/L3nrLsRRmOvOczNbWeGXZ6RL834vXoTSHvUnw9OnpaQlaoU0lzgPE+G2Gvp/QI1pR57++zZgxeartc41pmX/18NSE6V1i1c0SLRepxNGth1XShmvIVnWweHGeD2HMh+XboSzQJePqqcmd+yJcftPN2PDHnosYxFq3Twq/TkUcEUO1KA+YpnBGo7BZZd2WaPsobR5BynebEw9hdO52RxyxUvsE4teSxfnKUw1WjH2IeL7kPinEMbPyHsV9WsKAI+pYZrHpaBvjfuq/mKIiGF56bJ3zpp6arqj7MFuV7gdq481ylnNtPELSXiWE9HNPDp/jkqcGDyeeTLOcnVItHMaN50DrHlElK9EqjmrBtXpZIHYqs0b8947JFGHwxCGlD8X3PBkE6ny8BDkj+dpR+7SUnLbfUvMXJc9e+z0CAAA=',
  },
  'assets/index-DI1o7Uck.css': {
    type: 'text/css; charset=utf-8',
    hash: 'NAlsLwgjFcjChSNbYDHDs_',
    gzip: 'H4sIAAAAAAACA3WOwQrCMBBE735Fjgpd0YKX5OKvpM0mXUzSkl3BUvLvUu1F0cswwwzD60Y3LwCRwiCZcuiZ30FTJiEbzVfpbLlpZfoxjgW4HzChfg3U2phkS6Cs24LJ+DELeJsozppnFkxwp4ZtZmAs5Os1oSOr9lNBj4Xh43S9OyzdXz71k2yjrlWGRtwi+BCwkULWEb2YyTpHOehjeymY1HmVzZ/q7gmdrQB7DQEAAA==',
  },
  'index.html': {
    type: 'text/html; charset=utf-8',
    hash: 'doO03Jn7aA-Aja0MKiSbPt',
    gzip: 'H4sIAAAAAAACA41SsU7DMBDd+YrDM62VqQx2BtQFxAISMDv2tTZ17GBfWvr3yElKWiEBk+/dnZ7fe7a4NlHTsUOw1Pr6SpQDvApbyTCw+gpAWFSmFACiRVKgrUoZSbKeNotbBvx8GFSLku0dHrqYiIGOgTCQZAdnyEqDe6dxMYAbcMGRU36RtfIoq5mKHHmsH2KTBR/rsZ91ch1BESxZG03vkYFOMeeY3NYFyElLtuQqZ6TMXTD4ubh71KuDfTXL98xqwUeOidC7sIOEXrJMR4/ZItIlo024+UG5vq/i6kXvljrnMSR+Skk00RwndltNHmw1dTpwRjJKsW+K9BQ9lqsV9YO27uRfNSfPBc0vMOI0g2EMWceSiI6e1U899ig42d+W3pQjF7Z/rT33IfxjbY3KXO4IPosskzMDgkpCQw4fRepgnM5S49/uBR/bgo+/8wsxv0XyrgIAAA==',
  },
};
