// The panel's look. It is in a shadow tree, which the page's own style does not reach.
const DARK = `--paper:#16191c;--sunk:#1e2226;--ink:#e4e8ea;--soft:#9aa5ad;--rule:#333a40;--accent:#4cc9a0;--on:#0d1a16;
--lit:#233a32;--bad:#ff9d92;--warn:#e8bd58;--string:#b3d38d;--number:#d0a8ee`;

export const STYLE = `
:host{all:initial;color-scheme:light dark;--paper:#fff;--sunk:#f3f5f5;--ink:#1a2024;--soft:#566067;--rule:#d5dbde;
--accent:#0b7557;--on:#fff;--lit:#ddefe8;--bad:#b3261e;--warn:#855b00;--string:#3f5f1f;--number:#7a3ea1;
--mono:ui-monospace,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:host{${DARK}}}
*{box-sizing:border-box;margin:0;padding:0}
[hidden]{display:none!important}
.panel,.launch{font:13px/1.45 system-ui,sans-serif;color:var(--ink)}
button,select{font:inherit;color:inherit;background:none;border:1px solid transparent;border-radius:5px}
button{cursor:pointer}
button:disabled{opacity:.4;cursor:default}
:focus-visible{outline:2px solid var(--accent);outline-offset:-2px}
.launch{position:fixed;right:14px;bottom:14px;z-index:2147483647;display:grid;place-items:center;width:40px;height:40px;
border-radius:50%;border:1px solid var(--rule);background:var(--paper);box-shadow:0 2px 10px #0003;color:var(--accent)}
.launch:focus-visible{outline-offset:2px}
svg{width:16px;height:16px;fill:none;stroke:currentColor;stroke-width:2;flex:none}
.panel{position:fixed;inset:auto 0 0;z-index:2147483647;display:flex;flex-direction:column;height:min(var(--height,380px),94dvh);
min-height:200px;background:var(--paper);border-top:1px solid var(--rule);box-shadow:0 -4px 20px #0002}
.grip{position:absolute;inset:-4px 0 auto;height:9px;cursor:ns-resize;touch-action:none}
.head,.foot{display:flex;align-items:center;gap:6px;padding:5px 8px;border-bottom:1px solid var(--rule);min-width:0}
.brand{display:flex;align-items:center;gap:6px;font-weight:650;letter-spacing:-.01em;color:var(--accent)}
.head select{min-width:0;max-width:22em;flex:0 1 auto;height:28px;padding:0 4px;border-color:var(--rule);background:var(--paper);text-overflow:ellipsis}
.head button,.foot button{height:28px;min-width:28px;padding:0 8px;border-color:var(--rule);white-space:nowrap}
.head button:hover,.foot button:hover:not(:disabled){background:var(--sunk)}
.gap{flex:1}
.chip{display:inline-block;padding:0 8px;border-radius:9px;background:var(--sunk);color:var(--soft);font-size:12px;white-space:nowrap}
[data-is=streaming],[data-is=submitted],[data-is=sent]{background:var(--lit);color:var(--accent)}
[data-is=error],[data-is=failed]{color:var(--bad)}
[data-is=interrupted],[data-is=disconnected],[data-is=stopped],[data-is=drift],[data-is=doubt]{color:var(--warn)}
.tabs{display:flex;gap:2px;padding:0 8px;overflow-x:auto;border-bottom:1px solid var(--rule);scrollbar-width:none;flex:none}
.tabs button{padding:6px 9px;border-radius:0;color:var(--soft);border-bottom:2px solid transparent;white-space:nowrap}
.tabs button[aria-selected=true]{color:var(--ink);border-bottom-color:var(--accent)}
.tabs .n{margin-left:5px;font-size:11px;font-variant-numeric:tabular-nums;color:var(--soft)}
.tabs .n.bad{color:var(--bad);font-weight:650}
.body{flex:1;min-height:0;position:relative;overflow:hidden}
.view{position:absolute;inset:0;overflow:auto;overscroll-behavior:contain}
.view.split{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);overflow:hidden}
.split>.detail{overflow:auto;border-left:1px solid var(--rule);padding:4px 0}
.long{overflow:auto;position:relative;overscroll-behavior:contain}
.space{position:relative;overflow:hidden}
[role=option]{position:absolute;inset:0 0 auto;height:26px;display:flex;align-items:center;gap:10px;padding:0 10px;font:12px/1.5 var(--mono);white-space:nowrap;cursor:pointer}
[role=option]:hover{background:var(--sunk)}
[role=option][aria-selected=true]{background:var(--lit)}
[role=option]>*{flex:none}
[role=option] .what{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;color:var(--soft)}
[role=option] .kind{width:11.5em;overflow:hidden;text-overflow:ellipsis}
.at,.bytes,.no{color:var(--soft);font-variant-numeric:tabular-nums}
.no{width:3.5em;text-align:right}
.bytes{width:5.5em;text-align:right}
.bad{color:var(--bad)}.warn{color:var(--warn)}
.tree,.tree ul{list-style:none;font:12px/1.6 var(--mono)}
.tree{padding:0 10px}.view>.tree:first-child{padding-top:6px}.card .tree{padding:2px 0}
.tree ul{padding-left:15px}
.row{display:flex;gap:8px;width:100%;padding:0 4px 0 16px;text-align:left;border:0;border-radius:3px;font:inherit;position:relative;min-width:0}
button.row::before{content:"";position:absolute;left:4px;top:.45em;border:4px solid transparent;border-left:5px solid var(--soft)}
button.row[aria-expanded=true]::before{transform:rotate(90deg);transform-origin:2px 4px}
button.row:hover{background:var(--sunk)}
.key{flex:none;color:var(--accent)}
.value{min-width:0;overflow-wrap:anywhere}
.preview{color:var(--soft);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.value.string{color:var(--string)}.value.number,.value.boolean{color:var(--number)}
.cards{padding:8px;display:grid;gap:6px;align-content:start}
.card{border:1px solid var(--rule);border-radius:6px;padding:6px 10px;min-width:0}
.card .line{display:flex;flex-wrap:wrap;align-items:center;gap:2px 10px}
.card b{font:600 12px/1.5 var(--mono);overflow-wrap:anywhere}
.card p{color:var(--bad);overflow-wrap:anywhere}
.line button{padding:1px 8px;border-color:var(--rule);color:var(--accent)}
.line button:hover{background:var(--sunk)}
.none{padding:14px;color:var(--soft);max-width:38em}
.foot{border-bottom:0;border-top:1px solid var(--rule)}
.foot input{flex:1;min-width:60px;accent-color:var(--accent);height:24px}
.foot output{min-width:11em;color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
.foot .live[aria-pressed=true],.foot .live[aria-pressed=true]:hover{background:var(--accent);border-color:var(--accent);color:var(--on)}
.error{padding:4px 10px;color:var(--bad);border-top:1px solid var(--rule)}
@media (max-width:640px){
.panel{height:min(var(--height,62dvh),94dvh)}
.brand span,.head .file,[role=option] .at,[role=option] .no{display:none}
.head select{flex:1}
.gap{display:none}
.foot{flex-wrap:wrap}
.foot input{order:-1;flex-basis:100%;height:32px}
.foot output{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis}
.head button,.foot button,.head select{height:36px;min-width:36px}
.tabs button{padding:9px 10px}
.view.split{grid-template-columns:none;grid-template-rows:minmax(0,1fr) auto}
.split>.detail{border-left:0;border-top:1px solid var(--rule);max-height:22dvh}
[role=option] .kind{width:8em}
}
`;
