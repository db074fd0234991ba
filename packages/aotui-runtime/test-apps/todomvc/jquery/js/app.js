/* global jQuery */
jQuery(function ($) {
  'use strict'

  var ENTER_KEY = 13
  var template = $('#todo-template').html()
  var escapeHtml = function (text) {
    return $('<p>').text(text).html().replace(/"/g, '&quot;')
  }

  var App = {
    init: function () {
      this.todos = JSON.parse(localStorage.getItem('todos-jquery')) || []
      this.bindEvents()
      $(window).on('hashchange', this.render.bind(this))
      this.render()
    },
    bindEvents: function () {
      $('.new-todo').on('keyup', this.create.bind(this))
      $('.toggle-all').on('change', this.toggleAll.bind(this))
      $('.footer').on('click', '.clear-completed', this.destroyCompleted.bind(this))
      $('.todo-list')
        .on('change', '.toggle', this.toggle.bind(this))
        .on('dblclick', 'label', this.editingMode.bind(this))
        .on('keyup', '.edit', this.editKeyup.bind(this))
        .on('focusout', '.edit', this.update.bind(this))
        .on('click', '.destroy', this.destroy.bind(this))
    },
    render: function () {
      var filter = location.hash.replace('#/', '') || 'all'
      var left = this.todos.filter(function (todo) {
        return !todo.completed
      }).length
      var html = this.todos
        .filter(function (todo) {
          return filter === 'all' || todo.completed === (filter === 'completed')
        })
        .map(function (todo) {
          return template
            .replace(/\{id\}/g, todo.id)
            .replace(/\{class\}/g, todo.completed ? 'completed' : '')
            .replace(/\{checked\}/g, todo.completed ? 'checked' : '')
            .replace(/\{title\}/g, escapeHtml(todo.title))
        })
      $('.todo-list').html(html.join(''))
      $('.main').toggle(this.todos.length > 0)
      $('.footer').toggle(this.todos.length > 0)
      $('.toggle-all').prop('checked', left === 0)
      $('.clear-completed').toggle(left < this.todos.length)
      $('.todo-count').html('<strong>' + left + '</strong> ' + (left === 1 ? 'item' : 'items') + ' left')
      $('.new-todo').trigger('focus')
      localStorage.setItem('todos-jquery', JSON.stringify(this.todos))
    },
    indexFromEl: function (el) {
      var id = $(el).closest('li').data('id')
      return this.todos.findIndex(function (todo) {
        return todo.id === id
      })
    },
    create: function (e) {
      var $input = $(e.target)
      var title = $input.val().trim()
      if (e.which !== ENTER_KEY || !title) return
      this.todos.push({ id: 'todo-' + Math.random().toString(36).slice(2), title: title, completed: false })
      $input.val('')
      this.render()
    },
    toggle: function (e) {
      var todo = this.todos[this.indexFromEl(e.target)]
      todo.completed = !todo.completed
      this.render()
    },
    toggleAll: function (e) {
      var isChecked = $(e.target).prop('checked')
      this.todos.forEach(function (todo) {
        todo.completed = isChecked
      })
      this.render()
    },
    editingMode: function (e) {
      var $input = $(e.target).closest('li').addClass('editing').find('.edit')
      $input.trigger('focus')
    },
    editKeyup: function (e) {
      if (e.which === ENTER_KEY) e.target.blur()
    },
    update: function (e) {
      var title = $(e.target).val().trim()
      if (!title) return this.destroy(e)
      this.todos[this.indexFromEl(e.target)].title = title
      this.render()
    },
    destroy: function (e) {
      this.todos.splice(this.indexFromEl(e.target), 1)
      this.render()
    },
    destroyCompleted: function () {
      this.todos = this.todos.filter(function (todo) {
        return !todo.completed
      })
      this.render()
    },
  }

  App.init()
})
