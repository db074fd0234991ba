/**
 * All that the runtime needs to know of a TodoMVC app, by the class names that the project prescribes. The apps
 * themselves are written for people and know nothing of agents.
 */
;(function () {
  var ATTRIBUTES = {
    '.new-todo': { operation: 'add', args: '{"title":"string"}' },
    '.todo-list': { list: 'todo[]:todos' },
    '.toggle': { operation: 'toggle' },
    '.view label': { operation: 'start_edit' },
    '.edit': { operation: 'save', args: '{"todo":"todo","title":"string"}' },
    '.destroy': { operation: 'destroy' },
    '.toggle-all': { operation: 'toggle_all' },
    '.clear-completed': { operation: 'clear_completed' },
    '.filters li:nth-child(1) a': { operation: 'show_all' },
    '.filters li:nth-child(2) a': { operation: 'show_active' },
    '.filters li:nth-child(3) a': { operation: 'show_completed' },
  }
  var watched = new Set()

  function mark(root) {
    Object.keys(ATTRIBUTES).forEach(function (selector) {
      root.querySelectorAll(selector).forEach(function (element) {
        Object.keys(ATTRIBUTES[selector]).forEach(function (name) {
          var value = ATTRIBUTES[selector][name]
          if (element.getAttribute(name) !== value) element.setAttribute(name, value)
        })
      })
    })
    root.querySelectorAll('.todo-list > *').forEach(function (item) {
      var label = (item.shadowRoot || item).querySelector('label')
      var key = item.getAttribute('data-id') || (label && label.textContent.trim())
      if (key && item.getAttribute('data-key') !== key) item.setAttribute('data-key', key)
    })
    root.querySelectorAll('*').forEach(function (element) {
      if (element.shadowRoot) watch(element.shadowRoot)
    })
  }

  function watch(root) {
    if (watched.has(root)) return
    watched.add(root)
    new MutationObserver(function () {
      watched.forEach(mark)
    }).observe(root, { subtree: true, childList: true, characterData: true })
    mark(root)
  }

  document.body.setAttribute('view', 'Todos')
  watch(document)
})()
