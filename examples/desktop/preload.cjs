// The application's own calls. The license comes from the preload script of the SDK.
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('editor', {
  enterKey: (key) => ipcRenderer.invoke('editor:enter-key', key),
  exportDocument: (text) => ipcRenderer.invoke('editor:export', text),
});
