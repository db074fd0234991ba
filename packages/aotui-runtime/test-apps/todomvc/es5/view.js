/* global Store, qs, $on */
;(function (window) {
  window.qs = function (selector, scope) {
    return (scope || document).querySelector(selector)
  }
  window.$on = function (target, type, callback, useCapture) {
    target.addEventListener(type, callback, !!useCapture)
  }
  /** Handlers on the list for what is inside its items. */
  window.$delegate = function (target, selector, type, handler) {
    $on(
      target,
      type,
      function (event) {
        if (event.target.matches(selector)) handler.call(event.target, event)
      },
      type === 'blur' || type === 'focus',
    )
  }
})(window)

function View(store) {
  var that = this
  this.store = store
  this.filter = ''
  var idOf = function (element) {
    return parseInt(element.closest('li').dataset.id, 10)
  }
  var changed = function (work) {
    return function (event) {
      work(event)
      that.render()
    }
  }
  $on(
    qs('.new-todo'),
    'change',
    changed(function (event) {
      if (event.target.value.trim() !== '') store.save({ title: event.target.value.trim() })
      event.target.value = ''
    }),
  )
  $on(
    qs('.toggle-all'),
    'click',
    changed(function (event) {
      store.todos.forEach(function (todo) {
        todo.completed = event.target.checked
      })
    }),
  )
  $on(
    qs('.clear-completed'),
    'click',
    changed(function () {
      store.remove(function (todo) {
        return todo.completed
      })
    }),
  )
  var list = qs('.todo-list')
  var remove = function (event) {
    store.remove(function (todo) {
      return todo.id === idOf(event.target)
    })
  }
  var toggle = function (event) {
    store.save({ completed: event.target.checked }, idOf(event.target))
  }
  window.$delegate(list, '.destroy', 'click', changed(remove))
  window.$delegate(list, '.toggle', 'click', changed(toggle))
  window.$delegate(list, 'label', 'dblclick', function () {
    var input = document.createElement('input')
    input.className = 'edit'
    input.value = this.textContent
    this.closest('li').className += ' editing'
    this.closest('li').appendChild(input)
    input.focus()
  })
  window.$delegate(list, '.edit', 'keypress', function (event) {
    if (event.keyCode === 13) this.blur()
  })
  window.$delegate(
    list,
    '.edit',
    'blur',
    changed(function (event) {
      store.save({ title: event.target.value }, idOf(event.target))
    }),
  )
}

View.prototype.setFilter = function () {
  this.filter = document.location.hash.split('/')[1] || ''
  this.render()
}

View.prototype.render = function () {
  var filter = this.filter
  var todos = this.store.todos
  var left = todos.filter(function (todo) {
    return !todo.completed
  }).length
  var html = todos
    .filter(function (todo) {
      return filter === '' || todo.completed === (filter === 'completed')
    })
    .map(function (todo) {
      var title = todo.title.replace(/&/g, '&amp;').replace(/</g, '&lt;')
      return (
        '<li data-id="' +
        todo.id +
        '"><div class="view"><input class="toggle" type="checkbox"' +
        (todo.completed ? ' checked' : '') +
        '><label>' +
        title +
        '</label><button class="destroy"></button></div></li>'
      )
    })
  qs('.todo-list').innerHTML = html.join('')
  qs('.todo-count').innerHTML = '<strong>' + left + '</strong> ' + (left === 1 ? 'item' : 'items') + ' left'
  qs('.main').style.display = todos.length > 0 ? 'block' : 'none'
  qs('.clear-completed').style.display = left < todos.length ? 'block' : 'none'
  qs('.toggle-all').checked = left === 0
}
